import type { Issue, IssueDetail, IssueTrace } from "#contract.ts";
import type { CodePlace } from "#event-columns.ts";
import type { EvidenceRow, IssueTraceRow } from "./issue-traces.store.ts";
import type { IssueRow } from "./list-issues.store.ts";

export function presentIssue({ facts, code, traces, position: _position, ...row }: IssueRow): Issue {
  return {
    ...row,
    ignored_until: toTime(row.ignored_until),
    closed_at: toTime(row.closed_at),
    reopened_at: toTime(row.reopened_at),
    first_seen: row.first_seen.toISOString(),
    last_seen: row.last_seen.toISOString(),
    count: traces,
    where: { path: [...facts.path], ...code },
    error: { class: facts.error_class, message: facts.message },
    step: { kind: facts.kind, name: facts.name },
  };
}

export function presentDetail(row: IssueRow, evidence: readonly EvidenceRow[], first: CodePlace | null): IssueDetail {
  const pick = (is: "is_newest" | "is_shortest" | "is_typical") => {
    const found = evidence.find((trace) => trace[is]);
    return found === undefined ? null : presentIssueTrace(found);
  };
  return {
    ...presentIssue(row),
    first_where: first,
    evidence: { typical: pick("is_typical"), newest: pick("is_newest"), shortest: pick("is_shortest") },
  };
}

export function presentIssueTrace({ code, ...row }: IssueTraceRow): IssueTrace {
  return { ...row, seen_at: row.seen_at.toISOString(), line: code?.line ?? null };
}

function toTime(time: Date | null): string | null {
  return time === null ? null : time.toISOString();
}
