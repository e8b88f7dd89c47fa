import { sql, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { toBitmap, clearBit, countBits, emptyBitmap, openBitmap, setBit } from "#store/index/bitmap.ts";
import type { Build } from "#store/index/builds.store.ts";
import { lockTenant, withinTenant, type CodeIndexDatabase, type TenantSchema } from "#store/tenancy/tenant.ts";

/** Notes which chunks of which segments a build's files are made of. Every document of it must be complete. */
export async function writeVisible(database: CodeIndexDatabase, build: Build): Promise<void> {
  await withinTenant(database, build, {}, async (transaction) => {
    // A merge that moves chunks meanwhile moves them in what is written here, too: either before or after.
    await lockTenant(transaction, build, "with-others");
    const seen = await chunksOfFiles(transaction, build);
    const rows = seen.map(({ segment_id: segmentId, chunks, ordinals }) => ({ segmentId, chunks, bits: toBitmap(ordinals, chunks) }));
    await insertVisible(transaction, build, rows);
  });
}

type Generation = { readonly schema: TenantSchema; readonly generation: number };

export type SegmentChunks = {
  readonly segment_id: number;
  /** All that the segment has. */
  readonly chunks: number;
  readonly ordinals: readonly number[];
};

/** Where the chunks of a generation's files are. */
export async function chunksOfFiles(
  transaction: Transaction<CodeIndexTables>,
  { schema, generation }: Generation,
): Promise<readonly SegmentChunks[]> {
  const { rows } = await sql<SegmentChunks>`
    select chunk.segment_id, segment.chunks, array_agg(chunk.ordinal) as ordinals
    from ${sql.id(schema, "files")} as file
    join ${sql.id(schema, "code_chunks")} as chunk on chunk.document_id = file.document_id
    join ${sql.id(schema, "segments")} as segment on segment.segment_id = chunk.segment_id
    where file.generation = ${generation}
    group by chunk.segment_id, segment.chunks
  `.execute(transaction);
  return rows;
}

type Changes = { readonly removed: readonly SegmentChunks[]; readonly added: readonly SegmentChunks[] };

/** Changes what a generation sees of the segments named. The caller holds the tenant's lock. */
export async function changeVisible(
  transaction: Transaction<CodeIndexTables>,
  { schema, generation }: Generation,
  { removed, added }: Changes,
): Promise<void> {
  const capacities = new Map([...removed, ...added].map((segment) => [segment.segment_id, segment.chunks]));
  if (capacities.size === 0) {
    return;
  }
  const { rows } = await sql<{ segment_id: number; ordinals: Buffer | null }>`
    delete from ${sql.id(schema, "visible")} where generation = ${generation} and segment_id = any(${[...capacities.keys()]}::integer[])
    returning segment_id, ordinals
  `.execute(transaction);
  const known = new Map(rows.map((row) => [row.segment_id, row.ordinals]));
  const bitmaps = new Map(
    [...capacities].map(([segmentId, chunks]) => {
      const bits = known.get(segmentId);
      return [segmentId, bits === undefined ? emptyBitmap(chunks) : openBitmap(bits, chunks)];
    }),
  );
  for (const [segments, change] of [[removed, clearBit] as const, [added, setBit] as const]) {
    for (const { segment_id: segmentId, ordinals } of segments) {
      const bits = bitmaps.get(segmentId);
      for (const ordinal of bits === undefined ? [] : ordinals) {
        change(bits ?? Buffer.alloc(0), ordinal);
      }
    }
  }
  await insertVisible(
    transaction,
    { schema, generation },
    [...bitmaps].map(([segmentId, bits]) => ({ segmentId, chunks: capacities.get(segmentId) ?? 0, bits })),
  );
}

type NewVisible = { readonly segmentId: number; readonly chunks: number; readonly bits: Buffer };

/** Notes what a generation sees of segments of which nothing is noted. */
export async function insertVisible(
  transaction: Transaction<CodeIndexTables>,
  { schema, generation }: Generation,
  segments: readonly NewVisible[],
): Promise<void> {
  const rows = segments.flatMap(({ segmentId, chunks: capacity, bits }) => {
    const chunks = countBits(bits);
    return chunks === 0 ? [] : [{ segment_id: segmentId, chunks, ordinals: chunks === capacity ? null : bits.toString("hex") }];
  });
  if (rows.length > 0) {
    await sql`
      insert into ${sql.id(schema, "visible")} (generation, segment_id, chunks, ordinals)
      select ${generation}, segment_id, chunks, decode(ordinals, 'hex')
      from json_to_recordset(${JSON.stringify(rows)}::json) as given(segment_id integer, chunks integer, ordinals text)
    `.execute(transaction);
  }
}
