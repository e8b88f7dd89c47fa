/**
 * The chunks that hold a term, packed: for each, by rising ordinal, the gap to the
 * one before as a varint, then the term's impact on it as 16 bits, high byte first.
 *
 * The impact is BM25 without the inverse document frequency, `tf·(k1+1) / (tf + k1·(1−b+b·length/usual))`,
 * so a query only multiplies and adds. What is usual is a constant: the splitter makes chunks of one size, with 201 to
 * 217 terms on average in six repositories of as many languages. So a chunk's postings are the same wherever they are written.
 */
const BM25 = { k1: 1.2, b: 0.75, usualLength: 210 } as const;

/** What an impact can't reach, however often the term occurs. */
const LIMIT = BM25.k1 + 1;

const STEPS = 65_535;

type Impact = {
  /** How often the term occurs, weighted by field. */
  readonly frequency: number;
  /** The chunk's number of terms, weighted by field. */
  readonly length: number;
};

export function computeImpact({ frequency, length }: Impact): number {
  const { k1, b, usualLength } = BM25;
  return (frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * length) / usualLength));
}

/** Packs up to `capacity` postings, given by rising ordinal. */
export function createPostingsWriter(capacity: number) {
  const bytes = Buffer.allocUnsafe(capacity * 7);
  let at = 0;
  let previous = -1;
  return {
    add: (ordinal: number, impact: number) => {
      let gap = ordinal - previous - 1;
      previous = ordinal;
      while (gap > 127) {
        bytes[at++] = (gap & 127) | 128;
        gap >>>= 7;
      }
      bytes[at++] = gap;
      const step = Math.min(STEPS, Math.max(1, Math.round((impact / LIMIT) * STEPS)));
      bytes[at++] = step >>> 8;
      bytes[at++] = step & 255;
    },
    finish: () => bytes.subarray(0, at),
  };
}

/** Chunks in columns, by rising ordinal. */
export type Columns = {
  readonly ordinals: Uint16Array | Uint32Array;
  /** In steps of `IMPACT_STEP`. */
  readonly impacts: Uint16Array;
};

/** What bounds are known of them, too. */
export type BoundedColumns = Columns & {
  /** The greatest impact. */
  readonly upperBound: number;
  /** The greatest of each {@link BLOCK} ordinals; undefined for a list that is not longer than this would be. */
  readonly blockUpperBounds: Uint16Array | undefined;
};

/** Ordinals in one block. */
export const BLOCK = 128;

export const IMPACT_STEP: number = LIMIT / STEPS;

/** Room for `count` postings of a segment with so many chunks. */
export function createColumns(count: number, capacity: number): Columns {
  return { ordinals: capacity <= 65_536 ? new Uint16Array(count) : new Uint32Array(count), impacts: new Uint16Array(count) };
}

/** All `count` postings of a segment with so many chunks, for whoever goes through them often. */
export function unpackPostings(bytes: Uint8Array, count: number, capacity: number): Columns {
  const columns = createColumns(count, capacity);
  const { ordinals, impacts } = columns;
  let at = 0;
  let ordinal = -1;
  for (let place = 0; place < count; place++) {
    let gap = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      gap |= (byte & 127) << shift;
      if (byte < 128) {
        break;
      }
    }
    ordinal += gap + 1;
    ordinals[place] = ordinal;
    impacts[place] = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    at += 2;
  }
  return columns;
}

export function boundColumns({ ordinals, impacts }: Columns, capacity: number): BoundedColumns {
  const blocks = Math.ceil(capacity / BLOCK);
  const blockUpperBounds = ordinals.length > blocks ? new Uint16Array(blocks) : undefined;
  let upperBound = 0;
  for (let place = 0; place < ordinals.length;) {
    const block = Math.floor((ordinals[place] ?? 0) / BLOCK);
    const end = (block + 1) * BLOCK;
    let blockBound = 0;
    for (; place < ordinals.length && (ordinals[place] ?? 0) < end; place++) {
      const impact = impacts[place] ?? 0;
      if (impact > blockBound) {
        blockBound = impact;
      }
    }
    if (blockUpperBounds !== undefined) {
      blockUpperBounds[block] = blockBound;
    }
    upperBound = Math.max(upperBound, blockBound);
  }
  return { ordinals, impacts, upperBound, blockUpperBounds };
}

/** Chunks a segment can hold at most. */
export const SEGMENT_CAPACITY = 2 ** 22;

/** The identifier of a segment's chunk: what postings know, without a look-up. */
export function chunkId(segmentId: number, ordinal: number): number {
  return segmentId * SEGMENT_CAPACITY + ordinal;
}
