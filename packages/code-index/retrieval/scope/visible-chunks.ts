import { hash } from "node:crypto";
import { countBits } from "#store/index/bitmap.ts";
import { visibleSegments, type VisibleSegment } from "./read-postings.store.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";

/** The chunks of a segment that are visible, to one build or to several together. */
export type VisibleChunks = {
  readonly segmentId: number;
  /** As `VisibleSegment` has it. */
  readonly home: number;
  /** Chunks in the segment, seen or not. */
  readonly capacity: number;
  /** How many of them are seen. */
  readonly count: number;
  /** As `VisibleSegment` has them. */
  readonly ordinals: Uint8Array | null;
  /** Hash of `ordinals`, to compare what is visible. */
  readonly digest: string;
};

/** The visible chunks of the tenant's segments in a scope. */
export async function readVisible(query: TenantQuery, scope: Scope): Promise<readonly VisibleChunks[]> {
  return joinVisible(await visibleSegments(query, scope));
}

/** One entry a segment, by rising number: what any of the builds sees is seen. */
export function joinVisible(segments: readonly Omit<VisibleSegment, "generation">[]): readonly VisibleChunks[] {
  const bySegment = [...Map.groupBy(segments, (segment) => segment.segment_id)].toSorted(([one], [other]) => one - other);
  return bySegment.map(([segmentId, seen]) => {
    const [{ capacity, home } = { capacity: 0, home: 0 }] = seen;
    const bitmaps = seen.flatMap(({ ordinals }) => (ordinals === null ? [] : [ordinals]));
    if (bitmaps.length < seen.length) {
      return { segmentId, home, capacity, count: capacity, ordinals: null, digest: "" };
    }
    const ordinals = union(bitmaps, Math.ceil(capacity / 8));
    return { segmentId, home, capacity, count: countBits(ordinals), ordinals, digest: hash("sha256", ordinals, "base64url") };
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
