import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { hasRoleIn, type OneInProject } from "#store/reader.ts";
import { readFailing } from "./failing-traces.store.ts";
import { factsOf, fingerprintOf, titleOf } from "./issue-facts.ts";
import { lockIssues, settleIssues } from "./settle-issues.store.ts";

type Split = OneInProject & { readonly traceId: string; readonly author: string };

/**
 * Undoes a merge: what fails as the trace does is an issue of its own again. The trace is so at once; the others of the issue are looked at anew by
 * whoever finds issues, within seconds.
 *
 * @returns the issue's id; undefined when the trace is not there, fails as the issue itself does, or the reader may not change it.
 */
export async function splitIssue(query: Query, { projectId, reader, id, traceId, author }: Split): Promise<string | undefined> {
  return query.transaction().execute(async (transaction) => {
    await lockIssues(transaction, projectId);
    const [trace] = await readFailing(transaction, projectId, [traceId]);
    if (trace === undefined) {
      return undefined;
    }
    const facts = factsOf({ steps: trace.steps, traceName: trace.name, error: trace.error });
    const { rows } = await sql<{ id: string }>`
      update observability.issues as issue
      set merged_into = null, title = ${titleOf(facts)}::text, facts = ${JSON.stringify(facts)}::json, state = 'open', ignored_until = null,
        closed_at = null, closed_at_commit = null, reopened_at = null, changed_by = ${author}::text, changed_at = now()
      where issue.project_id = ${projectId}::uuid and issue.merged_into = ${id}::uuid and issue.fingerprint = ${fingerprintOf(projectId, facts)}
        and ${hasRoleIn(reader, "editor", projectId)}
      returning issue.id`.execute(transaction);
    const [split] = rows;
    if (split === undefined) {
      return undefined;
    }
    await sql`
      insert into observability.issue_marks (project_id, trace_id)
      select project_id, trace_id from observability.issue_traces where project_id = ${projectId}::uuid and issue_id = ${id}::uuid`.execute(
      transaction,
    );
    await sql`
      update observability.issue_traces set issue_id = ${split.id}::uuid
      where project_id = ${projectId}::uuid and trace_id = ${traceId}::uuid and issue_id = ${id}::uuid`.execute(transaction);
    await settleIssues(transaction, projectId, [id, split.id]);
    return split.id;
  });
}
