import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";

export type Blob = { readonly sha256: string; readonly content: unknown; readonly characters: number };

/** Characters of one content at the most; of a longer one the beginning is given. */
const MAX_CONTENT = 256 * 1024;
const PREVIEW = 4_000;

/** Finds which of the contents the project has. */
export async function findBlobs(
  query: Kysely<ObservabilitySchema>,
  projectId: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Blob>> {
  const rows = await query
    .selectFrom("observability.blobs")
    .select([
      "sha256",
      sql<number>`length(content::text)`.as("characters"),
      sql`case when length(content::text) <= ${MAX_CONTENT} then content else json_build_object(
        'truncated', true, 'characters', length(content::text), 'preview', left(content::text, ${PREVIEW}::int)
      ) end`.as("content"),
    ])
    .where("project_id", "=", projectId)
    .where("sha256", "=", sql<string>`any(${hashes}::text[])`)
    .execute();
  return new Map(rows.map((row) => [row.sha256, row]));
}

/** Characters of all of them together; of those that are over it, the longest ones, the beginning is given. */
const MAX_WHOLE = 16 * 1024 * 1024;

/** Finds the same as {@link findBlobs}, however long one is. */
export async function findWholeBlobs(
  query: Kysely<ObservabilitySchema>,
  projectId: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Blob>> {
  const { rows } = await sql<Blob>`
    select sha256, characters, case when total <= ${MAX_WHOLE} then content else json_build_object(
      'truncated', true, 'characters', characters, 'preview', left(content::text, ${PREVIEW}::int)
    ) end as content
    from (
      select *, sum(characters) over (order by characters, sha256) as total
      from (
        select sha256, content, length(content::text) as characters
        from observability.blobs where project_id = ${projectId} and sha256 = any(${[...hashes]}::text[])
      ) as blob
    ) as blob`.execute(query);
  return new Map(rows.map((row) => [row.sha256, row]));
}
