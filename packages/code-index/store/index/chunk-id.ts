/** Chunks a segment can hold at the most. */
export const SEGMENT_CAPACITY = 2 ** 22;

/** The identifier of a segment's chunk: what postings know, without a look-up. */
export function chunkId(segmentId: number, ordinal: number): number {
  return segmentId * SEGMENT_CAPACITY + ordinal;
}
