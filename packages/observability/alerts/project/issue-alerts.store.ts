import { sql, type Transaction } from "kysely";
import type { ToldIssue } from "#contract.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { tellRules } from "./tell-rules.store.ts";

/** An issue as a message names it. */
export type NamedIssue = ToldIssue & { readonly title: string; readonly trace_id: string | null };

/** Issues that one message names; the others it counts. */
const MAX_NAMED = 20;

/** Has the project's rules for issues tell of these, in the transaction that made or opened them. */
export async function tellOfIssues(
  transaction: Transaction<ObservabilitySchema>,
  projectId: string,
  issues: readonly ToldIssue[],
): Promise<void> {
  if (issues.length > 0) {
    const named = issues.slice(0, MAX_NAMED);
    await tellRules(transaction, projectId, { metric: "issues", value: issues.length, issues: named, experimentId: null, waitS: 0 });
  }
}

/** What the issues are called now, since a deletion may have taken words of theirs, and the newest trace of each. */
export async function readToldIssues(query: Query, projectId: string, told: readonly ToldIssue[]): Promise<readonly NamedIssue[]> {
  const { rows } = await sql<{ id: string; title: string; trace_id: string }>`
    select issue.id, issue.title, newest.trace_id
    from observability.issues as issue cross join lateral (
      select trace_id from observability.issue_traces
      where project_id = ${projectId}::uuid and issue_id = issue.id order by seen_at desc, trace_id desc limit 1
    ) as newest
    where issue.project_id = ${projectId}::uuid and issue.id = any(${told.map(({ id }) => id)}::uuid[])`.execute(query);
  const known = new Map(rows.map((row) => [row.id, row]));
  return told.map((issue) => ({ title: "merged or deleted since", trace_id: null, ...issue, ...known.get(issue.id) }));
}
