import { totalmem } from "node:os";
import { constrainedMemory } from "node:process";
import { LRUCache } from "lru-cache";
import type { UseKind } from "#contract.ts";
import type { LeftOut } from "./read-chunks.store.ts";
import { readAllTrigrams, readTrigrams } from "./read-postings.store.ts";
import type { VisibleChunks } from "./visible-chunks.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { countTrigrams, readList, type TrigramCounts } from "#store/index/trigrams.ts";

/** Limits of what is kept for all tenants together, as shares of the memory that the process may use. */
const TRIGRAMS_BYTES = shareOfMemory(1 / 64);
const COUNTS_BYTES = 16 * 2 ** 20;
const MAX_LINE_COUNTS = 10_000;
const MAX_LEFT_OUT = 1_000;
const USES_BYTES = 32 * 2 ** 20;
const USE_BYTES = 64;
/** Overhead of an entry beside its value. */
const ENTRY_BYTES = 48;

/** The share in bytes, but at least 64 and at most 512 MiB. */
export function shareOfMemory(share: number): number {
  // A container's limit; without one it is 0, or more than there is.
  const constrained = constrainedMemory();
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.min(Math.max(memory * share, 64 * 2 ** 20), 512 * 2 ** 20);
}

/** Values by segment; null where the segment is known to have none. */
export type BySegment<Value> = Map<number, Value | null>;

export type Remembered<Value> = {
  readonly memory: LRUCache<string, BySegment<Value>>;
  /** Reads in progress: who needs the same meanwhile waits for them instead of reading it again. */
  readonly reading: Map<string, Promise<BySegment<Value>>>;
};

/** What a process keeps of indexes, whatever is asked. */
export type IndexMemory = {
  readonly trigrams: Remembered<Ordinals>;
  readonly samples: LRUCache<string, TrigramSample>;
  readonly lineCounts: LRUCache<string, LineCount>;
  readonly uses: LRUCache<string, KnownUses>;
  readonly leftOut: LRUCache<string, readonly LeftOut[]>;
};

type Lines = { readonly start_line: number; readonly end_line: number };

/** What a document does with a name, and where it defines it. */
export type KnownUses = {
  readonly uses: readonly { readonly line: number; readonly at: number; readonly kind: UseKind }[];
  readonly own: readonly Lines[];
};

/** How many lines match a pattern in all files up to a place; in all there are where that is left out. */
export type LineCount = { readonly lines: number; readonly upTo?: { readonly repo: string; readonly path: string } | undefined };

/** How common trigrams are among the chunks of one segment. */
type TrigramSample = { readonly chunks: number; readonly counts: TrigramCounts };

/** Nothing in it goes stale: a complete segment never changes, merges write new ones, and what is visible of them is read with every question. */
export function createIndexMemory(): IndexMemory {
  return {
    trigrams: { memory: new LRUCache<string, BySegment<Ordinals>>({ maxSize: TRIGRAMS_BYTES }), reading: new Map() },
    samples: new LRUCache<string, TrigramSample>({ maxSize: COUNTS_BYTES }),
    lineCounts: new LRUCache<string, LineCount>({ max: MAX_LINE_COUNTS }),
    leftOut: new LRUCache<string, readonly LeftOut[]>({ max: MAX_LEFT_OUT }),
    uses: new LRUCache<string, KnownUses>({
      maxSize: USES_BYTES,
      sizeCalculation: ({ uses, own }, { length }) => 2 * ENTRY_BYTES + length + USE_BYTES * (uses.length + own.length),
    }),
  };
}

export type Reading<Memory = IndexMemory> = {
  readonly memory: Memory;
  readonly scope: Scope;
  /** Runs a read of the tenant's tables, for what this process does not have in memory. */
  readonly read: <Result>(work: (transaction: TenantQuery) => Promise<Result>) => Promise<Result>;
  readonly segments: readonly VisibleChunks[];
};

/** The chunks of a segment, by rising ordinal. */
type Ordinals = Uint16Array | Uint32Array;

/** By segment the chunks that hold a trigram; null where there is none. */
export type TrigramLists = ReadonlyMap<number, Ordinals | null>;

/** The chunks of each trigram in the segments, read from the database only where this process does not have them. */
export async function loadTrigramLists(reading: Reading, trigrams: readonly number[]): Promise<ReadonlyMap<number, TrigramLists>> {
  const { memory, read, scope, segments } = reading;
  return recall({
    ...memory.trigrams,
    segments,
    keys: trigrams,
    bytesOf: (ordinals) => ordinals.byteLength,
    read: async (wanted, segmentIds) => {
      const rows = await read((transaction) => readTrigrams(transaction, scope, { trigrams: wanted, segments: segmentIds }));
      const blocks = [...Map.groupBy(rows, (row) => row.segment_id)];
      return (trigram) => new Map(blocks.map(([segmentId, own]) => [segmentId, packed(readList(own, trigram))]));
    },
  });
}

/** Counts of the segment that was the largest when first asked: what is rare in code stays rare. */
export async function loadTrigramSample({ memory, read, scope, segments }: Reading): Promise<TrigramSample> {
  const { samples } = memory;
  const [largest] = segments.toSorted((one, other) => other.capacity - one.capacity);
  if (largest === undefined) {
    return { chunks: 0, counts: new Uint16Array(0) };
  }
  const known = samples.get(`${largest.home}`);
  if (known !== undefined && known.chunks * SAMPLE_GROWTH >= largest.capacity) {
    return known;
  }
  const counts = countTrigrams(await read((transaction) => readAllTrigrams(transaction, scope, largest.segmentId)));
  const sample = { chunks: largest.capacity, counts };
  samples.set(`${largest.home}`, sample, { size: ENTRY_BYTES + counts.byteLength });
  return sample;
}

/** A new sample is taken once there is a segment this many times as large. */
const SAMPLE_GROWTH = 4;

function packed(ordinals: readonly number[]): Ordinals {
  return (ordinals.at(-1) ?? 0) < 65_536 ? Uint16Array.from(ordinals) : Uint32Array.from(ordinals);
}

type Recalling<Key extends string | number, Value> = Remembered<Value> & {
  readonly segments: readonly VisibleChunks[];
  readonly keys: readonly Key[];
  readonly bytesOf: (value: Value) => number;
  readonly read: (keys: readonly Key[], segmentIds: readonly number[]) => Promise<(key: Key) => ReadonlyMap<number, Value>>;
};

export async function recall<Key extends string | number, Value>(
  recalling: Recalling<Key, Value>,
): Promise<ReadonlyMap<Key, BySegment<Value>>> {
  const { memory, reading, segments, keys } = recalling;
  const home = segments[0]?.home ?? 0;
  const known = new Map(keys.map((key) => [key, memory.get(`${home} ${key}`) ?? new Map<number, Value | null>()]));
  const elsewhere = keys.filter((key) => reading.has(`${home} ${key}`));
  await Promise.all([
    readLacking(
      recalling,
      known,
      keys.filter((key) => !elsewhere.includes(key)),
    ),
    ...elsewhere.map(async (key) => {
      const read = await reading.get(`${home} ${key}`)?.catch(() => undefined);
      known.set(key, read ?? new Map<number, Value | null>());
    }),
  ]);
  // The other read may have needed fewer segments, or may have failed.
  await readLacking(recalling, known, elsewhere);
  return known;
}

async function readLacking<Key extends string | number, Value>(
  { memory, reading, segments, bytesOf, read }: Recalling<Key, Value>,
  known: ReadonlyMap<Key, BySegment<Value>>,
  keys: readonly Key[],
): Promise<void> {
  const home = segments[0]?.home ?? 0;
  const lacking = keys.map((key) => ({
    key,
    segmentIds: segments.flatMap(({ segmentId }) => (known.get(key)?.has(segmentId) === true ? [] : [segmentId])),
  }));
  // New words lack all segments, known ones only the segments that are new: one statement for each of the two kinds.
  const kinds = Map.groupBy(
    lacking.filter(({ segmentIds }) => segmentIds.length > 0),
    ({ segmentIds }) => segmentIds.length === segments.length,
  );
  for (const kind of kinds.values()) {
    const segmentIds = [...new Set(kind.flatMap((lack) => lack.segmentIds))];
    const found = read(
      kind.map(({ key }) => key),
      segmentIds,
    );
    const remember = async (key: Key): Promise<BySegment<Value>> => {
      const values = (await found)(key);
      const bySegment = known.get(key) ?? new Map<number, Value | null>();
      for (const segmentId of segmentIds) {
        bySegment.set(segmentId, values.get(segmentId) ?? null);
      }
      let bytes = 0;
      for (const value of bySegment.values()) {
        bytes += ENTRY_BYTES + (value === null ? 0 : bytesOf(value));
      }
      // Of a value that is the same object the cache would not see that it grew.
      memory.delete(`${home} ${key}`);
      memory.set(`${home} ${key}`, bySegment, { size: bytes });
      return bySegment;
    };
    await Promise.all(
      kind.map(async ({ key }) => {
        const remembered = remember(key);
        reading.set(`${home} ${key}`, remembered);
        try {
          await remembered;
        } finally {
          reading.delete(`${home} ${key}`);
        }
      }),
    );
  }
}
