import { totalmem } from "node:os";
import { constrainedMemory } from "node:process";
import type { Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { boundColumns, unpackPostings, type BoundedColumns } from "#store/index/postings.ts";
import { readAllTrigrams, readPostings, readTrigrams, type PostingsRow } from "#retrieval/scope/read-postings.store.ts";
import type { Scope } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { countTrigrams, listOf, type TrigramCounts } from "#store/index/trigrams.ts";
import { joinForms } from "./join-forms.ts";
import type { Concept } from "#retrieval/query/query.ts";
import { createRecentlyUsed, type RecentlyUsed } from "./recently-used.ts";
import type { VisibleChunks } from "#retrieval/scope/visible-chunks.ts";

/** Of all tenants, in a process that searches: shares of the memory that the process may have. */
const POSTINGS_BYTES = shareOfMemory(1 / 32);
const TRIGRAMS_BYTES = shareOfMemory(1 / 64);
const COUNTS_BYTES = 16 * 2 ** 20;
/** What an entry takes beside what is in it. */
const ENTRY_BYTES = 48;

/** From 64 to 512 MiB. */
function shareOfMemory(share: number): number {
  // A container's limit; without one it is 0, or more than there is.
  const constrained = constrainedMemory();
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.min(Math.max(memory * share, 64 * 2 ** 20), 512 * 2 ** 20);
}

/** By segment; null where the segment is known to have nothing. */
type BySegment<Value> = Map<number, Value | null>;

type Remembered<Value> = {
  readonly memory: RecentlyUsed<BySegment<Value>>;
  /** What is being read: whoever asks for the same meanwhile waits for it instead of reading it once more. */
  readonly reading: Map<string, Promise<BySegment<Value>>>;
};

type Memory = {
  readonly postings: Remembered<BoundedColumns>;
  readonly trigrams: Remembered<Ordinals>;
  readonly samples: RecentlyUsed<TrigramSample>;
};

/** How common trigrams are among the chunks of one segment. */
export type TrigramSample = { readonly chunks: number; readonly counts: TrigramCounts };

/** A complete segment never changes: merges write new ones, and what is seen of one is read with every search. */
const memories = new WeakMap<CodeIndexDatabase["pool"], Memory>();

function memoryOf({ pool }: CodeIndexDatabase): Memory {
  const known = memories.get(pool);
  if (known !== undefined) {
    return known;
  }
  const memory = {
    postings: { memory: createRecentlyUsed<BySegment<BoundedColumns>>(POSTINGS_BYTES), reading: new Map() },
    trigrams: { memory: createRecentlyUsed<BySegment<Ordinals>>(TRIGRAMS_BYTES), reading: new Map() },
    samples: createRecentlyUsed<TrigramSample>(COUNTS_BYTES),
  };
  memories.set(pool, memory);
  return memory;
}

export type Reading = {
  readonly database: CodeIndexDatabase;
  readonly scope: Scope;
  /** Runs what reads the tenant's tables, when this process does not know all that is asked. */
  readonly read: <Result>(work: (transaction: Transaction<CodeIndexTables>) => Promise<Result>) => Promise<Result>;
  readonly segments: readonly VisibleChunks[];
};

/** The chunks that hold a concept, by segment, each by the form that serves it best; segments that nobody asked for may be among them. */
export type ConceptPostings = ReadonlyMap<number, BoundedColumns | null>;

/** The postings of each concept in the segments, read from the database only where this process does not have them. */
export async function postingsOf(reading: Reading, concepts: readonly Concept[]): Promise<readonly ConceptPostings[]> {
  const { read, scope, segments } = reading;
  const capacities = new Map(segments.map(({ segmentId, capacity }) => [segmentId, capacity]));
  const keys = concepts.map(({ terms }) => terms.join(" "));
  const known = await recall({
    ...memoryOf(reading.database).postings,
    segments,
    keys,
    bytesOf: ({ ordinals, impacts, blockMost }) => ordinals.byteLength + impacts.byteLength + (blockMost?.byteLength ?? 0),
    read: async (wanted, segmentIds) => {
      const terms = [...new Set(wanted.flatMap((key) => key.split(" ")))];
      const rows = await read((transaction) => readPostings(transaction, scope, { terms, segments: segmentIds }));
      const bySegment = [...Map.groupBy(rows, (row) => row.segment_id)];
      return (key) => {
        const forms = key.split(" ");
        return new Map(
          bySegment.flatMap(([segmentId, own]) => {
            const held = forms.map((term) => own.find((row) => row.term === term));
            return held.some((row) => row !== undefined) ? [[segmentId, joinRows(held, capacities.get(segmentId) ?? 0)]] : [];
          }),
        );
      };
    },
  });
  return keys.map((key) => known.get(key) ?? new Map<number, BoundedColumns | null>());
}

function joinRows(forms: readonly (PostingsRow | undefined)[], capacity: number): BoundedColumns {
  const lists = forms.map((row) => row && unpackPostings(row.docs, row.df, capacity));
  return boundColumns(joinForms(lists, capacity), capacity);
}

/** The chunks of a segment, by rising ordinal. */
type Ordinals = Uint16Array | Uint32Array;

/** By segment the chunks that hold a trigram; null for a segment from before there were trigrams: there any chunk may. */
export type TrigramLists = ReadonlyMap<number, Ordinals | null>;

/** As `postingsOf`, of trigrams. */
export async function trigramListsOf(reading: Reading, trigrams: readonly number[]): Promise<ReadonlyMap<number, TrigramLists>> {
  const { read, scope, segments } = reading;
  return recall({
    ...memoryOf(reading.database).trigrams,
    segments,
    keys: trigrams,
    bytesOf: (ordinals) => ordinals.byteLength,
    read: async (wanted, segmentIds) => {
      const rows = await read((transaction) => readTrigrams(transaction, scope, { trigrams: wanted, segments: segmentIds }));
      const blocks = [...Map.groupBy(rows, (row) => row.segment_id)];
      return (trigram) => new Map(blocks.map(([segmentId, own]) => [segmentId, packed(listOf(own, trigram))]));
    },
  });
}

/** Of the largest segment when it was first asked for: what is rare in code stays so. `undefined` where there is none. */
export async function trigramSampleOf({ database, read, scope, segments }: Reading): Promise<TrigramSample | undefined> {
  const { samples } = memoryOf(database);
  const [largest] = segments.toSorted((one, other) => other.capacity - one.capacity);
  if (largest === undefined) {
    return undefined;
  }
  const known = samples.get(`${largest.home}`);
  if (known !== undefined && known.chunks * SAMPLE_GROWTH >= largest.capacity) {
    return known;
  }
  const counts = countTrigrams(await read((transaction) => readAllTrigrams(transaction, scope, largest.segmentId)));
  const sample = { chunks: largest.capacity, counts };
  samples.set(`${largest.home}`, sample, counts.byteLength);
  return sample;
}

/** A sample is taken anew when there is a segment that much larger. */
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

async function recall<Key extends string | number, Value>(recalling: Recalling<Key, Value>): Promise<ReadonlyMap<Key, BySegment<Value>>> {
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
  // Whoever read it did not need all segments, or failed.
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
  // Words that were never asked for lack all segments, others at the most those that are new: each kind is one statement.
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
      memory.set(`${home} ${key}`, bySegment, bytes);
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
