import type { Repository } from "@sightline/code-index/contract";
import type { Factor, SecondFactorStatus } from "@sightline/identity/contract";
import type { AlertRule, DeadLetter, Gap } from "@sightline/observability/contract";
import { describe, expect, test } from "vitest";
import {
  type AttentionItem,
  alertItems,
  deadLetterItems,
  gapItems,
  inOrder,
  repositoryItems,
  secondFactorItems,
  traceItems,
} from "./attention-items.ts";
import { pickWatched } from "./watched.ts";

const NOW = new Date("2026-11-22T10:00:00.000Z");
const PROJECT = { id: "p1", name: "Support" };
const OTHER = { id: "p2", name: "Billing" };

const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000).toISOString();

test("what can't wait comes first, and of the same kind the newest", () => {
  const item = (id: string, kind: AttentionItem["kind"], at?: string): AttentionItem => ({
    id,
    kind,
    at,
    title: id,
    reason: "",
    action: { label: "See", link: { to: "/" } },
  });
  const mixed = [
    item("letters", "dead_letters", hoursAgo(0)),
    item("old failure", "traces", hoursAgo(9)),
    item("new failure", "traces", hoursAgo(1)),
    item("repository", "repository"),
    item("alert", "alert", hoursAgo(20)),
    item("second factor", "second_factor"),
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
  const titles = (state: Partial<typeof WELL>, isStep = false, factors: readonly Factor[] = state.totp_enabled === false ? [] : ["totp"]) =>
    secondFactorItems({ ...WELL, ...state }, { factors, isStep, now: NOW }).map(({ title }) => title);

  test("needs attention when it is off, unless the first steps say so already", () => {
    expect(titles({ totp_enabled: false })).toEqual(["2FA is off"]);
    expect(titles({ totp_enabled: false }, true)).toEqual([]);
  });

  test("needs none where a passkey is the only one, which has no codes", () => {
    expect(titles({ totp_enabled: false, backup_codes_remaining: 0 }, false, ["passkey"])).toEqual([]);
  });

  test("needs attention when it is locked or short of backup codes, and else not", () => {
    expect(titles({})).toEqual([]);
    expect(titles({ suspended: true })).toEqual(["2FA is locked"]);
    expect(titles({ locked_until: hoursAgo(-1) })).toEqual(["2FA is locked"]);
    expect(titles({ locked_until: hoursAgo(1) })).toEqual([]);
    expect(titles({ backup_codes_remaining: 0 })).toEqual(["Few backup codes"]);
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

  test("that are well need no attention, also those without a webhook, which are polled", () => {
    expect(repositoryItems([repository("shop"), repository("new", { index_status: "pending", has_webhook_secret: false })])).toEqual([]);
  });

  test("that failed have their reason, and lead to themselves", () => {
    const [item] = repositoryItems([repository("shop", { index_status: "failed", last_error: "no such host" })]);
    expect(item).toMatchObject({ kind: "repository", title: "acme/shop", reason: "no such host" });
    expect(item?.action.link.params).toEqual({ repositoryId: "shop" });
  });

  test("whose vectors fail are one item, since the embedder is", () => {
    const degraded = { legs: semantic("degraded") };
    expect(repositoryItems([repository("a", degraded), repository("b", degraded)])).toMatchObject([
      { kind: "meaning", title: "Semantic search is degraded in 2 repositories", reason: "no answer" },
    ]);
  });
});

describe("of a project", () => {
  const trace = (id: string, error: string | null = null) => ({ id, name: `run ${id}`, error, started_at: hoursAgo(1) });

  test("one failed trace is opened itself, several that failed alike are one, and listed", () => {
    expect(traceItems(PROJECT, [], false)).toEqual([]);
    expect(traceItems(PROJECT, [trace("1", "boom")], false)).toMatchObject([
      { title: "run 1 failed", reason: "in Support: boom", action: { link: { params: { projectId: "p1", traceId: "1" } } } },
    ]);
    expect(traceItems(PROJECT, [trace("1", "boom"), trace("1", "boom"), trace("1", "bang")], true)).toMatchObject([
      { title: "At least 2 traces of run 1 failed", reason: "in Support: boom", action: { link: { search: { span: "24h" } } } },
      { title: "run 1 failed", reason: "in Support: bang" },
    ]);
  });

  test("lost events of the last day are counted, older ones forgotten", () => {
    const gap = (project: string, events: number, hours: number) => ({ project_id: project, events, found_at: hoursAgo(hours) }) as Gap;
    const items = gapItems([gap("p1", 2, 1), gap("p1", 3, 2), gap("p2", 1, 3), gap("p2", 50, 25)], [PROJECT, OTHER], {
      now: NOW,
      more: false,
    });
    expect(items.map(({ title, reason }) => `${title} ${reason}`)).toEqual([
      "5 events were lost in Support: sent, and never arrived",
      "1 event was lost in Billing: sent, and never arrived",
    ]);
  });

  test("open dead letters are counted, and a count that is cut says so", () => {
    const letter = (project: string | null) => ({ project_id: project, reason: "unreadable", created_at: hoursAgo(1) }) as DeadLetter;
    expect(deadLetterItems([letter("p1"), letter("p1"), letter(null)], [PROJECT], true)).toMatchObject([
      { title: "At least 2 events were set aside", reason: "in Support: unreadable" },
    ]);
  });

  test("rules that fire need attention, those that are switched off are not", () => {
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
    expect(alertItems(PROJECT, rules)).toMatchObject([
      { title: "“Errors” is firing", reason: "in Support: the errors are above 3 in the last hour" },
    ]);
  });
});

test("looked into are the projects in which something ran last, five at the most", () => {
  const project = (id: string, last: string | null) => ({ id, last_trace_at: last }) as Parameters<typeof pickWatched>[0][number];
  const projects = [project("never", null), ...[6, 2, 5, 1, 3, 4].map((hours) => project(`${hours}`, hoursAgo(hours)))];
  expect(pickWatched(projects).map(({ id }) => id)).toEqual(["1", "2", "3", "4", "5"]);
});
