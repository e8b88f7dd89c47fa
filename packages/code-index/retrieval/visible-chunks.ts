import type { VisibleSegment } from "#store/read-postings.store.ts";

/** What of a segment is seen, by one build or by several together. */
export type VisibleChunks = {
  readonly segmentId: number;
  /** Chunks in the segment, seen or not. */
  readonly capacity: number;
  /** How many of them are seen. */
  readonly count: number;
  /** As `VisibleSegment` has them. */
  readonly ordinals: Uint8Array | null;
};

/** One entry a segment: what any of the builds sees is seen. */
export function joinVisible(segments: readonly VisibleSegment[]): readonly VisibleChunks[] {
  return [...Map.groupBy(segments, (segment) => segment.segment_id)].map(([segmentId, seen]) => {
    const capacity = seen[0]?.capacity ?? 0;
    const bitmaps = seen.flatMap(({ ordinals }) => (ordinals === null ? [] : [ordinals]));
    if (bitmaps.length < seen.length) {
      return { segmentId, capacity, count: capacity, ordinals: null };
    }
    const ordinals = union(bitmaps, Math.ceil(capacity / 8));
    return { segmentId, capacity, count: countBits(ordinals), ordinals };
  });
}

function union(bitmaps: readonly Uint8Array[], bytes: number): Uint8Array {
  const [only] = bitmaps;
  if (bitmaps.length === 1 && only !== undefined) {
    return only;
  }
  const joined = new Uint8Array(bytes);
  for (const bitmap of bitmaps) {
    bitmap.forEach((byte, index) => {
      joined[index] = (joined[index] ?? 0) | byte;
    });
  }
  return joined;
}

const BITS_OF_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

function countBits(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum + (BITS_OF_BYTE[byte] ?? 0), 0);
}
