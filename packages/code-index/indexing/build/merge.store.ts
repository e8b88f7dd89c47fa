import { sql, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { chunkId } from "#store/index/postings.ts";
import { clearBit, emptyBitmap, hasBit, openBitmap, setBit } from "#store/index/bitmap.ts";
import { countDead } from "#store/index/sweep.store.ts";
import { insertPostings, insertTrigrams, type NewPostings } from "./segments.store.ts";
import { lockTenant, withinTenant, type CodeIndexDatabase, type Tenant, type TenantSchema } from "#store/tenancy/tenant.ts";
import type { TrigramBlock } from "#store/index/trigrams.ts";
import { insertVisible } from "./visible.store.ts";

type Merged = Omit<Tenant, "name">;

export type SegmentState = {
  readonly segment_id: number;
  /** Chunks whose documents were not deleted. */
  readonly alive: number;
  readonly dead: number;
};

/** The segments that hold something, the smallest first. */
export async function listSegments(database: CodeIndexDatabase, { schema }: Merged): Promise<readonly SegmentState[]> {
  const { rows } = await sql<SegmentState>`
    select segment_id, chunks - dead as alive, dead from ${sql.id(schema, "segments")}
    where complete and dead < chunks order by chunks - dead, segment_id
  `.execute(database.query);
  return rows;
}

export type MovableChunk = {
  readonly chunk_id: number;
  readonly segment_id: number;
  readonly ordinal: number;
  readonly document_id: number;
  readonly start_byte: number;
  readonly path: string;
  readonly scope: string;
  readonly symbols: readonly string[];
  readonly content: string;
  readonly text_hash: string | null;
};

/** Up to `limit` chunks of the segments, of whole documents: what is said of a line that two chunks share is said in one segment. */
export async function readMovable(
  database: CodeIndexDatabase,
  { schema }: Merged,
  { segmentIds, limit }: { readonly segmentIds: readonly number[]; readonly limit: number },
): Promise<readonly MovableChunk[]> {
  const { rows } = await sql<MovableChunk>`
    select chunk.chunk_id, chunk.segment_id, chunk.ordinal, chunk.document_id, chunk.start_byte,
      chunk.path, chunk.scope, chunk.symbols, chunk.content, chunk.text_hash
    from unnest(${segmentIds}::integer[]) as given(segment_id)
    join ${sql.id(schema, "code_chunks")} as chunk
      on chunk.chunk_id >= given.segment_id * ${chunkId(1, 0)}::bigint and chunk.chunk_id < (given.segment_id + 1) * ${chunkId(1, 0)}::bigint
    order by chunk.chunk_id
    limit ${limit}
  `.execute(database.query);
  const last = rows.at(-1)?.document_id;
  const whole = rows.length < limit ? rows : rows.filter((row) => row.document_id !== last);
  return whole.length === 0 ? rows : whole;
}

type Moving = {
  readonly chunks: readonly MovableChunk[];
  readonly postings: Iterable<readonly NewPostings[]>;
  readonly trigrams: Iterable<readonly TrigramBlock[]>;
};

/**
 * Moves chunks into a segment of their own, by the order given, whose postings and trigrams are those given. Every build sees the same
 * chunks after as before.
 *
 * @returns false when one of the chunks has gone or was moved by another; nothing has changed then.
 */
export async function moveChunks(database: CodeIndexDatabase, tenant: Merged, { chunks, postings, trigrams }: Moving): Promise<boolean> {
  return withinTenant(database, tenant, {}, async (transaction) => {
    await lockTenant(transaction, tenant, "alone");
    const segmentId = await insertSegment(transaction, tenant.schema, chunks.length);
    await renumber(transaction, tenant.schema, { segmentId, chunks });
    await moveVisible(transaction, tenant.schema, { segmentId, chunks });
    for (const batch of postings) {
      await insertPostings(transaction, tenant, { segmentId, postings: batch });
    }
    for (const blocks of trigrams) {
      await insertTrigrams(transaction, tenant, { segmentId, blocks });
    }
    return true;
  }).catch((error: unknown) => {
    if (error instanceof Overtaken) {
      return false;
    }
    throw error;
  });
}

class Overtaken extends Error {}

async function insertSegment(transaction: Transaction<CodeIndexTables>, schema: TenantSchema, chunks: number): Promise<number> {
  const { segment_id: segmentId } = await transaction
    .withSchema(schema)
    .insertInto("segments")
    .values({ generation: 0, chunks, complete: true })
    .returning("segment_id")
    .executeTakeFirstOrThrow();
  return segmentId;
}

type Placed = { readonly segmentId: number; readonly chunks: readonly MovableChunk[] };

async function renumber(transaction: Transaction<CodeIndexTables>, schema: TenantSchema, { segmentId, chunks }: Placed): Promise<void> {
  const { numAffectedRows } = await sql`
    update ${sql.id(schema, "code_chunks")} as chunk set
      chunk_id = ${chunkId(segmentId, 0)}::bigint + given.position - 1, segment_id = ${segmentId}, ordinal = given.position - 1
    from unnest(${chunks.map((chunk) => chunk.chunk_id)}::bigint[]) with ordinality as given(chunk_id, position)
    where chunk.chunk_id = given.chunk_id
  `.execute(transaction);
  if (Number(numAffectedRows ?? 0) !== chunks.length) {
    throw new Overtaken();
  }
  await countDead(transaction, schema, chunks);
}

type VisibleRow = {
  readonly generation: number;
  readonly segment_id: number;
  readonly capacity: number;
  readonly ordinals: Buffer | null;
};

async function moveVisible(transaction: Transaction<CodeIndexTables>, schema: TenantSchema, { segmentId, chunks }: Placed): Promise<void> {
  const moved = Map.groupBy(
    chunks.map((chunk, position) => ({ ...chunk, position })),
    (chunk) => chunk.segment_id,
  );
  const { rows } = await sql<VisibleRow>`
    delete from ${sql.id(schema, "visible")} as visible using ${sql.id(schema, "segments")} as segment
    where segment.segment_id = visible.segment_id and visible.segment_id = any(${[...moved.keys()]}::integer[])
    returning visible.generation, visible.segment_id, segment.chunks as capacity, visible.ordinals
  `.execute(transaction);
  for (const [generation, segments] of Map.groupBy(rows, (row) => row.generation)) {
    const target = emptyBitmap(chunks.length);
    const left = segments.map(({ segment_id: from, capacity, ordinals }) => {
      const bits = openBitmap(ordinals, capacity);
      for (const { ordinal, position } of moved.get(from) ?? []) {
        if (hasBit(bits, ordinal)) {
          clearBit(bits, ordinal);
          setBit(target, position);
        }
      }
      return { segmentId: from, chunks: capacity, bits };
    });
    await insertVisible(transaction, { schema, generation }, [...left, { segmentId, chunks: chunks.length, bits: target }]);
  }
}
