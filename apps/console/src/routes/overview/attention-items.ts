import type { Repository } from "@sightline/code-index/contract";
import type { Factor, SecondFactorStatus } from "@sightline/identity/contract";
import type { AlertChannel, AlertRule, DeadLetter, Gap, Project } from "@sightline/observability/contract";
import { type LinkProps, linkOptions } from "@tanstack/react-router";
import { ruleInWords } from "#features/alerts/rule-words.ts";
import { FEW_BACKUP_CODES } from "#features/auth/code.ts";
import { plural } from "#ui/words/format.ts";
import { readGitFailure } from "#ui/words/git-failure.ts";
import { type Failed, failuresByError } from "./failures.ts";

/** The kinds, the most urgent first. */
const KINDS = ["second_factor", "alert", "gaps", "repository", "traces", "dead_letters", "channel", "meaning"] as const;
export type AttentionKind = (typeof KINDS)[number];

export type AttentionItem = {
  readonly id: string;
  readonly kind: AttentionKind;
  readonly title: string;
  readonly reason: string;
  readonly at?: string | undefined;
  /** The one thing to do about it. */
  readonly action: { readonly label: string; readonly link: LinkProps };
};

type Named = Pick<Project, "id" | "name">;

/** Failed traces and lost events are told of for a day: nobody can mark them as seen. */
export const LATELY = "24h";
const LATELY_MS = 24 * 60 * 60 * 1000;

/** The most important first, and of the same kind the newest. */
export function inOrder(items: readonly AttentionItem[]): readonly AttentionItem[] {
  const rank = ({ kind }: AttentionItem) => KINDS.indexOf(kind);
  return items.toSorted((one, other) => rank(one) - rank(other) || (other.at ?? "").localeCompare(one.at ?? ""));
}

export function secondFactorItems(
  { totp_enabled: hasCodes, suspended, locked_until: locked, backup_codes_remaining: left }: SecondFactorStatus,
  { factors, isStep, now }: { readonly factors: readonly Factor[]; readonly isStep: boolean; readonly now: Date },
): readonly AttentionItem[] {
  const item = (title: string, reason: string, label: string, setup?: string): readonly AttentionItem[] => [
    {
      id: "second factor",
      kind: "second_factor",
      title,
      reason,
      action: { label, link: linkOptions({ to: "/admin/security", search: { setup } }) },
    },
  ];
  if (factors.length === 0) {
    return isStep ? [] : item("2FA is off", "Your password alone opens this account.", "Set it up", "1");
  }
  if (!hasCodes) {
    return [];
  }
  if (suspended || (locked !== null && new Date(locked) > now)) {
    return item("2FA is locked", "Too many wrong codes: someone may know your password.", "See what to do");
  }
  return left <= FEW_BACKUP_CODES ? item("Few backup codes", left === 0 ? "None is left." : `${left} left.`, "Make new ones") : [];
}

export function alertItems(project: Named, rules: readonly AlertRule[]): readonly AttentionItem[] {
  return rules
    .filter(({ state, is_enabled: enabled }) => state === "firing" && enabled)
    .map((rule) => ({
      id: `rule ${rule.id}`,
      kind: "alert",
      title: `“${rule.name}” is firing`,
      reason: `in ${project.name}: ${ruleInWords(rule)}`,
      at: rule.since ?? undefined,
      action: { label: "See the alert", link: linkOptions({ to: "/projects/$projectId/alerts", params: { projectId: project.id } }) },
    }));
}

export function channelItems(project: Named, channels: readonly AlertChannel[]): readonly AttentionItem[] {
  return channels
    .filter(({ last_problem: problem }) => problem !== null)
    .map((channel) => ({
      id: `channel ${channel.id}`,
      kind: "channel",
      title: `“${channel.name}” did not receive an alert`,
      reason: `in ${project.name}: ${channel.last_problem}`,
      at: channel.last_sent_at ?? undefined,
      action: { label: "See the channel", link: linkOptions({ to: "/projects/$projectId/alerts", params: { projectId: project.id } }) },
    }));
}

/** The gaps by project; `more`: these are only the newest. */
export function gapItems(
  gaps: readonly Gap[],
  projects: readonly Named[],
  { now, more }: { readonly now: Date; readonly more: boolean },
): readonly AttentionItem[] {
  const lately = gaps.filter(({ found_at: at }) => now.getTime() - Date.parse(at) < LATELY_MS);
  return [...Map.groupBy(lately, ({ project_id: id }) => id)].map(([projectId, found]) => ({
    id: `gaps ${projectId}`,
    kind: "gaps",
    title: `${more ? "At least " : ""}${plural(sum(found), "event was", "events were")} lost`,
    reason: `in ${nameOf(projectId, projects)}: sent, and never arrived`,
    at: found[0]?.found_at,
    action: {
      label: "See the gaps",
      link: linkOptions({ to: "/projects/$projectId/settings", params: { projectId }, search: { section: "gaps" } }),
    },
  }));
}

export function deadLetterItems(deadLetters: readonly DeadLetter[], projects: readonly Named[], more: boolean): readonly AttentionItem[] {
  const known = deadLetters.flatMap((entry) => (entry.project_id === null ? [] : [{ ...entry, project_id: entry.project_id }]));
  return [...Map.groupBy(known, ({ project_id: id }) => id)].map(([projectId, found]) => ({
    id: `dead letters ${projectId}`,
    kind: "dead_letters",
    title: `${more ? "At least " : ""}${plural(found.length, "event was", "events were")} set aside`,
    reason: `in ${nameOf(projectId, projects)}: ${found[0]?.reason ?? ""}`,
    at: found[0]?.created_at,
    action: {
      label: "Show them",
      link: linkOptions({ to: "/projects/$projectId/settings", params: { projectId }, search: { section: "dead-letters" } }),
    },
  }));
}

/** A repository that waits to be asked for once more has its reason, too. */
export function repositoryItems(
  repositories: readonly Pick<Repository, "id" | "full_name" | "index_status" | "last_error" | "legs">[],
): readonly AttentionItem[] {
  const failed = repositories
    .filter(({ last_error: error, index_status: status }) => error !== null || status === "failed")
    .map((repository): AttentionItem => ({
      id: `repository ${repository.id}`,
      kind: "repository",
      title: repository.full_name,
      reason: repository.last_error === null ? "It could not be indexed." : readGitFailure(repository.last_error).words,
      action: {
        label: "See what to do",
        link: linkOptions({ to: "/code/repos/$repositoryId", params: { repositoryId: repository.id } }),
      },
    }));
  return [...failed, ...meaningItems(repositories)];
}

/** One for all repositories, since it is the embedder that fails. */
function meaningItems(repositories: Parameters<typeof repositoryItems>[0]): readonly AttentionItem[] {
  const [first, ...others] = repositories.filter(({ legs }) => legs.semantic.state === "degraded");
  if (first === undefined) {
    return [];
  }
  return [
    {
      id: "meaning",
      kind: "meaning",
      title: `Semantic search is degraded in ${others.length === 0 ? first.full_name : plural(others.length + 1, "repository", "repositories")}`,
      reason: first.legs.semantic.reason ?? "Keyword and exact search still work.",
      action: { label: "See its index", link: linkOptions({ to: "/code/repos/$repositoryId", params: { repositoryId: first.id } }) },
    },
  ];
}

/** Failures of the same name and message are one item; `more`: these are only the newest. */
export function traceItems(project: Named, failed: readonly Failed[], more: boolean): readonly AttentionItem[] {
  return failuresByError(failed).map(({ id, name, error, count, at, q }) => ({
    id: `traces ${project.id} ${q}`,
    kind: "traces",
    title: count === 1 ? `${name} failed` : `${more ? "At least " : ""}${plural(count, "trace", "traces")} of ${name} failed`,
    reason: `in ${project.name}${error === null ? "" : `: ${error}`}`,
    at,
    action:
      count === 1
        ? {
            label: "Open the trace",
            link: linkOptions({ to: "/projects/$projectId/traces/$traceId", params: { projectId: project.id, traceId: id } }),
          }
        : {
            label: "See them",
            link: linkOptions({ to: "/projects/$projectId/traces", params: { projectId: project.id }, search: { q, span: LATELY } }),
          },
  }));
}

function sum(gaps: readonly Gap[]): number {
  return gaps.reduce((total, { events }) => total + events, 0);
}

function nameOf(projectId: string, projects: readonly Named[]): string {
  return projects.find(({ id }) => id === projectId)?.name ?? "a project";
}
