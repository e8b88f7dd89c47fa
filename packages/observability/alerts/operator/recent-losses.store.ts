import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { listVisibleIds, type Reader } from "#store/reader.ts";

/** Counts events found lost since then, in the projects that the reader may see. */
export async function countRecentlyLost(
  query: Query,
  { reader, since }: { readonly reader: Reader; readonly since: Date },
): Promise<number> {
  const visible = await listVisibleIds(query, reader);
  const { rows } = await sql<{ lost: number }>`
    select least(coalesce(sum(gap.last_seq - gap.first_seq + 1), 0), ${Number.MAX_SAFE_INTEGER})::bigint as lost
    from observability.ingest_gaps as gap
    where gap.found_at >= ${since} and gap.project_id = any(${visible}::uuid[])`.execute(query);
  return rows[0]?.lost ?? 0;
}
