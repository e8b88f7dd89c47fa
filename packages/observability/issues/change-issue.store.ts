import { sql } from "kysely";
import type { ChangeIssueRequest } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject, type OneInProject } from "#store/reader.ts";
import { lockIssues, settleIssues } from "./settle-issues.store.ts";

type Change = OneInProject & { readonly change: ChangeIssueRequest; readonly author: string };

/** What is undefined stays as it is. @returns false when there is no such issue, or the reader may not change it. */
export async function changeIssue(query: Query, { projectId, reader, id, change, author }: Change): Promise<boolean> {
  const { state, ignored_until: until = null, closed_at_commit: commit = null, assignee, tracker_url: trackerUrl } = change;
  const isClosed = state === "closed";
  const changes = [
    ...(state === undefined
      ? []
      : [
          sql`state = ${state}::text, ignored_until = ${until}::timestamptz, closed_at_commit = ${commit}::text`,
          isClosed ? sql`closed_at = now(), reopened_at = null` : sql`closed_at = null`,
        ]),
    ...(assignee === undefined ? [] : [sql`assignee = ${assignee}::text`]),
    ...(trackerUrl === undefined ? [] : [sql`tracker_url = ${trackerUrl}::text`]),
    sql`changed_by = ${author}::text, changed_at = now()`,
  ];
  const { numAffectedRows } = await sql`
    update observability.issues as issue set ${sql.join(changes)}
    where issue.project_id = ${projectId}::uuid and issue.id = ${id}::uuid and issue.merged_into is null
      and ${hasRoleIn(reader, "editor", projectId)}`.execute(query);
  return numAffectedRows === 1n;
}

type Merge = InProject & { readonly into: string; readonly from: readonly string[] };

/**
 * Makes several issues one: their traces are its, and so is whatever fails like them from now on.
 *
 * @returns false when one of them is not there, or the reader may not change it.
 */
export async function mergeIssues(query: Query, { projectId, reader, into, from }: Merge): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    await lockIssues(transaction, projectId);
    const all = [...new Set([into, ...from])];
    const { rows } = await sql`
      select issue.id from observability.issues as issue
      where issue.project_id = ${projectId}::uuid and issue.id = any(${all}::uuid[]) and issue.merged_into is null
        and ${hasRoleIn(reader, "editor", projectId)}`.execute(transaction);
    if (rows.length < all.length) {
      return false;
    }
    const merged = sql`project_id = ${projectId}::uuid and`;
    const others = sql`any(${all.filter((id) => id !== into)}::uuid[])`;
    await sql`
      update observability.issue_traces set issue_id = ${into}::uuid where ${merged} issue_id = ${others}`.execute(transaction);
    // What they said of their traces may be gone some day from the one they are now.
    await sql`
      update observability.issues set merged_into = ${into}::uuid, title = '', facts = '{}', traces = 0, assignee = null, tracker_url = null
      where ${merged} (id = ${others} or merged_into = ${others})`.execute(transaction);
    await settleIssues(transaction, projectId, [into]);
    return true;
  });
}
