import type { Columns } from "#store/index/postings.ts";
import type { VisibleChunks } from "#retrieval/scope/visible-chunks.ts";

/** By list the last count: most searches see of a segment what the one before saw. */
export type SeenCounts = WeakMap<Columns, { readonly digest: string; readonly count: number }>;

/** How many chunks of a list are visible to the search. */
export function countSeen(counted: SeenCounts, list: Columns, { ordinals: seen, digest }: VisibleChunks): number {
  if (seen === null) {
    return list.ordinals.length;
  }
  const known = counted.get(list);
  if (known?.digest === digest) {
    return known.count;
  }
  let count = 0;
  for (let at = 0; at < list.ordinals.length; at++) {
    const ordinal = list.ordinals[at] ?? 0;
    count += ((seen[ordinal >>> 3] ?? 0) >>> (ordinal & 7)) & 1;
  }
  counted.set(list, { digest, count });
  return count;
}
