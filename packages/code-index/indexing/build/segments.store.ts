import { sql } from "kysely";
import type { Build } from "#store/index/builds.store.ts";
import type { TrigramBlock } from "#store/index/trigrams.ts";
import { withinTenant, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** Makes room for a run of chunks; `completeSegment` says what it came to. */
export async function beginSegment(database: CodeIndexDatabase, { schema, generation }: Build): Promise<number> {
  const { segment_id: segmentId } = await database.query
    .withSchema(schema)
    .insertInto("segments")
    .values({ generation, chunks: 0 })
    .returning("segment_id")
    .executeTakeFirstOrThrow();
  return segmentId;
}

export type NewPostings = { readonly term: string; readonly df: number; readonly docs: Buffer };

export async function insertPostings(
  query: CodeIndexDatabase["query"],
  { schema }: Pick<Build, "schema">,
  { segmentId, postings }: { readonly segmentId: number; readonly postings: readonly NewPostings[] },
): Promise<void> {
  const { bytes, places } = inOnePiece(postings.map(({ docs }) => docs));
  const rows = postings.map(({ term, df }, index) => ({ term, df, ...places[index] }));
  await sql`
    insert into ${sql.id(schema, "postings")} (term, segment_id, df, docs)
    select term, ${segmentId}, df, substring(${bytes}::bytea from start for length)
    from json_to_recordset(${JSON.stringify(rows)}::json) as given(term text, df integer, start integer, length integer)
  `.execute(query);
}

export async function insertTrigrams(
  query: CodeIndexDatabase["query"],
  { schema }: Pick<Build, "schema">,
  { segmentId, blocks }: { readonly segmentId: number; readonly blocks: readonly TrigramBlock[] },
): Promise<void> {
  const { bytes, places } = inOnePiece(blocks.map(({ lists }) => lists));
  const rows = blocks.map(({ first }, index) => ({ first, ...places[index] }));
  await sql`
    insert into ${sql.id(schema, "trigrams")} (segment_id, first, lists)
    select ${segmentId}, first, substring(${bytes}::bytea from start for length)
    from json_to_recordset(${JSON.stringify(rows)}::json) as given(first integer, start integer, length integer)
  `.execute(query);
}

/** A driver writes a buffer as it is, and an array of them as text. */
function inOnePiece(parts: readonly Buffer[]) {
  let start = 1;
  const places = parts.map(({ length }) => {
    const place = { start, length };
    start += length;
    return place;
  });
  return { bytes: Buffer.concat(parts), places };
}

type Completing = {
  readonly segmentId: number;
  readonly chunks: number;
  /** Whose chunks are in the segment. */
  readonly documentIds: readonly number[];
};

/** Lets every build of the tenant use what the segment holds. */
export async function completeSegment(database: CodeIndexDatabase, build: Build, completing: Completing): Promise<void> {
  const { schema, generation } = build;
  const { segmentId, chunks, documentIds } = completing;
  await withinTenant(database, build, {}, async (transaction) => {
    const { rows } = await sql`
      select from ${sql.id(schema, "builds")} where generation = ${generation} for key share
    `.execute(transaction);
    if (rows.length === 0) {
      throw new Error("The build was swept while it was being written.");
    }
    await sql`
      update ${sql.id(schema, "segments")} set chunks = ${chunks}, complete = true
      where segment_id = ${segmentId}
    `.execute(transaction);
    await sql`
      update ${sql.id(schema, "documents")} set complete = true where document_id = any(${documentIds}::bigint[])
    `.execute(transaction);
  });
}
