import type { Columns } from "#store/index/postings.ts";
import type { VisibleChunks } from "#retrieval/scope/visible-chunks.ts";

/** Of lists that searches share, what was counted last: most searches see of a segment what the one before saw. */
const counted = new WeakMap<Columns, { readonly digest: string; readonly count: number }>();

/** How many of a list's chunks are seen. */
export function countSeen(list: Columns, { ordinals: seen, digest }: VisibleChunks): number {
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
