import { decodePostings } from "#store/postings.ts";

/** A term's chunks in columns, by rising ordinal: the first `count` of each array. */
export type VisiblePostings = { readonly count: number; readonly ordinals: Uint32Array; readonly impacts: Float32Array };

type Packed = { readonly df: number; readonly docs: Uint8Array };

/** Unpacks the postings whose chunks are seen: all of them, or those whose bit is set. */
export function decodeVisible({ df, docs }: Packed, bitmap: Uint8Array | null): VisiblePostings {
  const ordinals = new Uint32Array(df);
  const impacts = new Float32Array(df);
  let count = 0;
  decodePostings(docs, (ordinal, impact) => {
    if (bitmap === null || (((bitmap[ordinal >>> 3] ?? 0) >>> (ordinal & 7)) & 1) === 1) {
      ordinals[count] = ordinal;
      impacts[count] = impact;
      count++;
    }
  });
  return { count, ordinals, impacts };
}
