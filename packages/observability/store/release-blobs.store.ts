import { sql } from "kysely";
import type { Query } from "#schema.ts";

/** Takes what traces of a project refer to from them, in the transaction that deletes them; contents and texts that perhaps nobody needs any more are noted. */
export async function releaseBlobs(transaction: Query, projectId: string, traceIds: readonly string[]): Promise<void> {
  await sql`
    with gone as (
      delete from observability.blob_references where project_id = ${projectId}::uuid and trace_id = any(${traceIds}::uuid[])
      returning project_id, contents
    )
    insert into observability.released_blobs (project_id, content)
    select distinct project_id, unnest(contents) as content from gone order by project_id, content
    on conflict (project_id, content) do update set released_at = excluded.released_at, told_version = null, told_at = null`.execute(
    transaction,
  );
  // Searches go by way of these rows, so that nothing is found from now on; the texts go soon (`text/index-texts.ts`). In two steps: a shard of a cluster
  // has no numbers to give.
  const { rows } = await sql<{ texts: string[] }>`
    delete from observability.text_references where project_id = ${projectId}::uuid and trace_id = any(${traceIds}::uuid[])
    returning texts::text[] as texts`.execute(transaction);
  if (rows.length > 0) {
    const texts = [...new Set(rows.flatMap((row) => row.texts))];
    await sql`
      insert into observability.text_marks (project_id, turn, released) values (${projectId}::uuid, 0, ${texts}::bigint[])`.execute(
      transaction,
    );
  }
}
