import { sql } from "kysely";
import { byteaArray, textArray } from "@sightline/foundation/database/array-parameters";
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

/** @throws {Error} when the segment is gone. It stays while the transaction lasts, as its rows have no foreign key. */
async function holdSegment(query: CodeIndexDatabase["query"], { schema }: Pick<Build, "schema">, segmentId: number): Promise<void> {
  const { rows } = await sql`select from ${sql.id(schema, "segments")} where segment_id = ${segmentId} for key share`.execute(query);
  if (rows.length === 0) {
    throw new Error("The segment was swept while it was being written.");
  }
}

export type NewPostings = { readonly term: string; readonly df: number; readonly docs: Buffer };

/** In a transaction. @throws {Error} when the segment is gone. */
export async function insertPostings(
  query: CodeIndexDatabase["query"],
  { schema }: Pick<Build, "schema">,
  { segmentId, postings }: { readonly segmentId: number; readonly postings: readonly NewPostings[] },
): Promise<void> {
  await holdSegment(query, { schema }, segmentId);
  await sql`
    insert into ${sql.id(schema, "postings")} (term, segment_id, df, docs)
    select term, ${segmentId}, df::integer, docs
    from unnest(
      ${textArray(postings.map(({ term }) => term))}::text[],
      ${textArray(postings.map(({ df }) => String(df)))}::text[],
      ${byteaArray(postings.map(({ docs }) => docs))}::bytea[]
    ) as given(term, df, docs)
  `.execute(query);
}

export async function insertTrigrams(
  query: CodeIndexDatabase["query"],
  { schema }: Pick<Build, "schema">,
  { segmentId, blocks }: { readonly segmentId: number; readonly blocks: readonly TrigramBlock[] },
): Promise<void> {
  await sql`
    insert into ${sql.id(schema, "trigrams")} (segment_id, first, lists)
    select ${segmentId}, first::integer, lists
    from unnest(
      ${textArray(blocks.map(({ first }) => String(first)))}::text[],
      ${byteaArray(blocks.map(({ lists }) => lists))}::bytea[]
    ) as given(first, lists)
  `.execute(query);
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
