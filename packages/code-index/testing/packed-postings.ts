import { createPostingsWriter, IMPACT_STEP, unpackPostings } from "#store/index/postings.ts";

export type Posting = { readonly ordinal: number; readonly impact: number };

/** `postings` by rising ordinal, each ordinal once. */
export function encodePostings(postings: readonly Posting[]): Buffer {
  const writer = createPostingsWriter(postings.length);
  for (const { ordinal, impact } of postings) {
    writer.add(ordinal, impact);
  }
  return writer.finish();
}

/** All `count` postings of a segment with so many chunks. */
export function readPostings(bytes: Uint8Array, count: number, capacity = 2 ** 22): readonly Posting[] {
  const { ordinals, impacts } = unpackPostings(bytes, count, capacity);
  return Array.from(ordinals, (ordinal, at) => ({ ordinal, impact: (impacts[at] ?? 0) * IMPACT_STEP }));
}
