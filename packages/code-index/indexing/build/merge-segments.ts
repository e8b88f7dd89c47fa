import { listSegments, moveChunks, readMovable, type SegmentState } from "./merge.store.ts";
import type { CodeIndexDatabase, Tenant } from "#store/tenancy/tenant.ts";
import { createPostingsCollector } from "./collect-postings.ts";
import { blocksInBatches, inBatches } from "./write-build.ts";

/** Searches read a row of each segment for each term: so many small ones are let be. */
const MAX_SMALL_SEGMENTS = 32;
const SMALL_SEGMENT_CHUNKS = 1_000;
/** Moved at once: bounds how long the tenant is held. */
const MAX_MOVED_CHUNKS = 2_000;

/**
 * Puts small segments together, or takes what lives out of one that is mostly dead, when there is need. One step,
 * which takes about a second; the next job takes the next. Returns whether anything was moved.
 */
export async function mergeSegments(database: CodeIndexDatabase, tenant: Tenant, maxSmall = MAX_SMALL_SEGMENTS): Promise<boolean> {
  const segmentIds = chooseSegments(await listSegments(database, tenant), maxSmall);
  if (segmentIds.length === 0) {
    return false;
  }
  const chunks = await readMovable(database, tenant, { segmentIds, limit: MAX_MOVED_CHUNKS });
  const postings = createPostingsCollector();
  for (const chunk of chunks) {
    postings.add(chunk);
  }
  const moving = { chunks, postings: inBatches(postings.packed()), trigrams: blocksInBatches(postings.trigrams()) };
  return chunks.length > 0 && moveChunks(database, tenant, moving);
}

/** Which segments to empty, by what they hold, the smallest first. */
export function chooseSegments(segments: readonly SegmentState[], maxSmall = MAX_SMALL_SEGMENTS): readonly number[] {
  const small = segments.filter(({ alive }) => alive < SMALL_SEGMENT_CHUNKS);
  if (small.length > maxSmall) {
    let moved = 0;
    return small
      .filter(({ alive }) => {
        moved += alive;
        return moved <= MAX_MOVED_CHUNKS;
      })
      .map((segment) => segment.segment_id);
  }
  const wasteful = segments.find(({ alive, dead }) => dead > alive);
  return wasteful === undefined ? [] : [wasteful.segment_id];
}
