import type { Repository } from "@sightline/code-index/contract";
import type { SecondFactorStatus } from "@sightline/identity/contract";
import type { AlertRule, DeadLetter, Gap } from "@sightline/observability/contract";
import { describe, expect, test } from "vitest";
import {
  type Trouble,
  alertTroubles,
  deadLetterTroubles,
  gapTroubles,
  inOrder,
  repositoryTroubles,
  secondFactorTroubles,
  traceTroubles,
} from "./troubles.ts";
import { watchedOf } from "./watched.ts";

const NOW = new Date("2026-11-22T10:00:00.000Z");
const PROJECT = { id: "p1", name: "Support" };
const OTHER = { id: "p2", name: "Billing" };

const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000).toISOString();

test("what can't wait comes first, and of the same kind the newest", () => {
  const trouble = (id: string, kind: Trouble["kind"], at?: string): Trouble => ({
    id,
    kind,
    at,
    title: id,
    reason: "",
    action: { label: "See", link: { to: "/" } },
  });
  const mixed = [
    trouble("letters", "dead_letters", hoursAgo(0)),
    trouble("old failure", "traces", hoursAgo(9)),
    trouble("new failure", "traces", hoursAgo(1)),
    trouble("repository", "repository"),
    trouble("alert", "alert", hoursAgo(20)),
    trouble("second factor", "second_factor"),
  ];
  expect(inOrder(mixed).map(({ id }) => id)).toEqual(["second factor", "alert", "repository", "new failure", "old failure", "letters"]);
});

describe("the second factor", () => {
  const WELL: SecondFactorStatus = {
    totp_enabled: true,
    suspended: false,
    locked_until: null,
    backup_codes_remaining: 10,
    totp_last_used_at: null,
  };
  const troubles = (state: Partial<typeof WELL>, isStep = false) =>
    secondFactorTroubles({ ...WELL, ...state }, { isStep, now: NOW }).map(({ title }) => title);

  test("is trouble when it is off, unless the first steps say so already", () => {
    expect(troubles({ totp_enabled: false })).toEqual(["2FA is off"]);
    expect(troubles({ totp_enabled: false }, true)).toEqual([]);
  });

  test("is trouble when it is locked or short of backup codes, and else not", () => {
    expect(troubles({})).toEqual([]);
    expect(troubles({ suspended: true })).toEqual(["2FA is locked"]);
    expect(troubles({ locked_until: hoursAgo(-1) })).toEqual(["2FA is locked"]);
    expect(troubles({ locked_until: hoursAgo(1) })).toEqual([]);
    expect(troubles({ backup_codes_remaining: 0 })).toEqual(["Few backup codes"]);
  });
});

describe("repositories", () => {
  const semantic = (state: "ready" | "degraded") => ({
    semantic: { state, reason: "no answer" },
    bm25: { state: "ready" as const },
    exact: { state: "ready" as const },
  });
  const repository = (id: string, changes: Partial<Repository> = {}) => ({
    id,
    full_name: `acme/${id}`,
    index_status: "ready" as const,
    last_error: null,
    legs: semantic("ready"),
    ...changes,
  });

  test("without trouble are none, also those without a webhook, which are polled", () => {
    expect(repositoryTroubles([repository("shop"), repository("new", { index_status: "pending", has_webhook_secret: false })])).toEqual([]);
  });

  test("that failed have their reason, and lead to themselves", () => {
    const [trouble] = repositoryTroubles([repository("shop", { index_status: "failed", last_error: "no such host" })]);
    expect(trouble).toMatchObject({ kind: "repository", title: "acme/shop", reason: "no such host" });
    expect(trouble?.action.link.params).toEqual({ repositoryId: "shop" });
  });

  test("whose vectors fail are one trouble, since the embedder is", () => {
    const degraded = { legs: semantic("degraded") };
    expect(repositoryTroubles([repository("a", degraded), repository("b", degraded)])).toMatchObject([
      { kind: "meaning", title: "Semantic search is degraded in 2 repositories", reason: "no answer" },
    ]);
  });
});

describe("of a project", () => {
  const trace = (id: string, error: string | null = null) => ({ id, name: `run ${id}`, error, started_at: hoursAgo(1) });

  test("one failed trace is opened itself, several that failed alike are one, and listed", () => {
    expect(traceTroubles(PROJECT, [], false)).toEqual([]);
    expect(traceTroubles(PROJECT, [trace("1", "boom")], false)).toMatchObject([
      { title: "run 1 failed", reason: "in Support: boom", action: { link: { params: { projectId: "p1", traceId: "1" } } } },
    ]);
    expect(traceTroubles(PROJECT, [trace("1", "boom"), trace("1", "boom"), trace("1", "bang")], true)).toMatchObject([
      { title: "At least 2 traces of run 1 failed", reason: "in Support: boom", action: { link: { search: { span: "24h" } } } },
      { title: "run 1 failed", reason: "in Support: bang" },
    ]);
  });

  test("lost events of the last day are counted, older ones forgotten", () => {
    const gap = (project: string, events: number, hours: number) => ({ project_id: project, events, found_at: hoursAgo(hours) }) as Gap;
    const troubles = gapTroubles([gap("p1", 2, 1), gap("p1", 3, 2), gap("p2", 1, 3), gap("p2", 50, 25)], [PROJECT, OTHER], {
      now: NOW,
      more: false,
    });
    expect(troubles.map(({ title, reason }) => `${title} ${reason}`)).toEqual([
      "5 events were lost in Support: sent, and never arrived",
      "1 event was lost in Billing: sent, and never arrived",
    ]);
  });

  test("open dead letters are counted, and a count that is cut says so", () => {
    const letter = (project: string | null) => ({ project_id: project, reason: "unreadable", created_at: hoursAgo(1) }) as DeadLetter;
    expect(deadLetterTroubles([letter("p1"), letter("p1"), letter(null)], [PROJECT], true)).toMatchObject([
      { title: "At least 2 events were set aside", reason: "in Support: unreadable" },
    ]);
  });

  test("rules that fire are trouble, those that are switched off are not", () => {
    const rule = (name: string, state: AlertRule["state"], enabled: boolean) =>
      ({
        id: name,
        name,
        state,
        is_enabled: enabled,
        metric: "errors",
        threshold: 3,
        window_minutes: 60,
        filter: {},
        since: hoursAgo(1),
      }) as AlertRule;
    const rules = [rule("Errors", "firing", true), rule("Well", "ok", true), rule("Off", "firing", false)];
    expect(alertTroubles(PROJECT, rules)).toMatchObject([
      { title: "“Errors” is firing", reason: "in Support: the errors are above 3 in the last hour" },
    ]);
  });
});

test("looked into are the projects in which something ran last, five at the most", () => {
  const project = (id: string, last: string | null) => ({ id, last_trace_at: last }) as Parameters<typeof watchedOf>[0][number];
  const projects = [project("never", null), ...[6, 2, 5, 1, 3, 4].map((hours) => project(`${hours}`, hoursAgo(hours)))];
  expect(watchedOf(projects).map(({ id }) => id)).toEqual(["1", "2", "3", "4", "5"]);
});
