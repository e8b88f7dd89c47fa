import type { StreamFields } from "#events/stream-entry.ts";

export type StreamEntry = {
  readonly id: string;
  readonly fields: StreamFields;
  /** How often it was delivered, when it was taken over from a consumer that did not finish it. */
  readonly deliveries?: number;
};

/** The entries of one command; `isLast` when there are no more for now. */
export type Chunk = { readonly entries: readonly StreamEntry[]; readonly isLast: boolean };

type Fetch = (count: number, isFirst: boolean) => Promise<Chunk>;

/** A batch ends after so many characters, beside its limit of entries. */
const MAX_BATCH_LENGTH = 16 * 1024 * 1024;
/** Redis can bound what a command returns only by its count: so many entries of the largest size still fit into memory. */
const CHUNK_FIRST = 10;
/** After small entries more of them are likely, and fewer commands read them; should they be large, they still fit. */
const CHUNK_AFTER_SMALL = 25;
const SMALL_LENGTH = 64 * 1024;

/**
 * Gathers up to `count` entries by several commands, each asking for fewer when those before it brought large ones. So a
 * hundred bodies of 16 MiB are never in memory at once, which asking for a batch by its count alone would allow.
 */
export function createChunkedReading(): (count: number, fetch: Fetch) => Promise<readonly StreamEntry[]> {
  let chunkSize = CHUNK_FIRST;
  return async (count, fetch) => {
    const taken: StreamEntry[] = [];
    let length = 0;
    while (taken.length < count && length < MAX_BATCH_LENGTH) {
      const { entries, isLast } = await fetch(Math.min(chunkSize, count - taken.length), taken.length === 0).catch((error: unknown) => {
        if (taken.length === 0) {
          throw error;
        }
        // Delivered entries must be written; the next call fails again.
        return { entries: [], isLast: true };
      });
      const lengths = entries.map(lengthOf);
      const largest = Math.max(...lengths, 1);
      taken.push(...entries);
      length += lengths.reduce((sum, added) => sum + added, 0);
      chunkSize = largest <= SMALL_LENGTH ? CHUNK_AFTER_SMALL : Math.min(Math.max(Math.floor(MAX_BATCH_LENGTH / largest), 1), CHUNK_FIRST);
      if (isLast) {
        break;
      }
    }
    return taken;
  };
}

/** Entries as lists of which none is longer than {@link MAX_BATCH_LENGTH}; a larger entry is alone in its list. */
export function inParts(entries: readonly StreamEntry[]): readonly (readonly StreamEntry[])[] {
  const parts: StreamEntry[][] = [];
  let length = Infinity;
  for (const entry of entries) {
    const added = lengthOf(entry);
    if (length + added > MAX_BATCH_LENGTH) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(entry);
    length += added;
  }
  return parts;
}

function lengthOf({ fields }: StreamEntry): number {
  return fields.reduce((sum, field) => sum + field.length, 0);
}
