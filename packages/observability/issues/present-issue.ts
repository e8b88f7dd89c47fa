import type { Issue, IssueDetail, IssueTrace } from "#contract.ts";
import type { EvidenceRow, IssueTraceRow } from "./issue-traces.store.ts";
import type { IssueRow } from "./list-issues.store.ts";

export function presentIssue({ facts, code, traces, position: _position, ...row }: IssueRow): Issue {
  const { id, title, state, assignee, users, releases, commits, sparkline } = row;
  return {
    id,
    title,
    state,
    ignored_until: toTime(row.ignored_until),
    closed_at: toTime(row.closed_at),
    closed_at_commit: row.closed_at_commit,
    reopened_at: toTime(row.reopened_at),
    assignee,
    tracker_url: row.tracker_url,
    count: traces,
    first_seen: row.first_seen.toISOString(),
    last_seen: row.last_seen.toISOString(),
    users,
    releases,
    commits,
    sparkline,
    where: { path: [...facts.path], ...code },
    error: { class: facts.error_class, message: facts.message },
    step: { kind: facts.kind, name: facts.name },
  };
}

export function presentDetail(row: IssueRow, evidence: readonly EvidenceRow[]): IssueDetail {
  const pick = (is: "is_newest" | "is_shortest" | "is_typical") => {
    const found = evidence.find((trace) => trace[is]);
    return found === undefined ? null : presentIssueTrace(found);
  };
  return {
    ...presentIssue(row),
    evidence: { typical: pick("is_typical"), newest: pick("is_newest"), shortest: pick("is_shortest") },
  };
}

export function presentIssueTrace(row: IssueTraceRow): IssueTrace {
  return {
    trace_id: row.trace_id,
    seen_at: row.seen_at.toISOString(),
    name: row.name,
    error: row.error,
    step_id: row.step_id,
    duration_ms: row.duration_ms,
    steps: row.steps,
    release: row.release,
    commit: row.commit,
    user_id: row.user_id,
    line: row.code?.line ?? null,
  };
}

function toTime(time: Date | null): string | null {
  return time === null ? null : time.toISOString();
}
