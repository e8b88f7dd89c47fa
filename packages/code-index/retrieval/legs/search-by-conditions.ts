import { readAs } from "#store/tenancy/read-as.store.ts";
import { readContents } from "#retrieval/scope/read-listed.store.ts";
import { chunkId } from "#store/index/chunk-id.ts";
import { hasBit } from "#store/index/bitmap.ts";
import { findCandidates } from "#retrieval/patterns/candidates.ts";
import type { LegAnswer } from "./leg.ts";
import type { Looking } from "./legs.ts";
import { keepMeeting, type Conditions } from "#retrieval/patterns/match-conditions.ts";
import { readVisible, type VisibleChunks } from "#retrieval/scope/visible-chunks.ts";

/** Texts read at once: first few, as what is asked for is either common or rare. */
const FIRST_LOOK = 200;
const LARGEST_LOOK = 3_000;
/** Of the deadline, for reading and looking: the rest is for asking what may be looked at. */
const LOOKING = 0.8;

/** The chunks that meet a query's conditions, by the index as far as it can tell and by their texts then. */
export async function searchByConditions(
  { database, scope, limit, deadlineMs }: Looking,
  conditions: Conditions,
): Promise<LegAnswer & { readonly isComplete: boolean }> {
  const until = performance.now() + deadlineMs * LOOKING;
  return readAs(database, scope.tenant, deadlineMs, async (transaction) => {
    const candidates = await findCandidates(transaction, scope, { trigrams: conditions.trigrams, isMultiline: false });
    const chunkIds = candidates?.chunkIds() ?? seen(await readVisible(transaction, scope));
    const found: number[] = [];
    for (let from = 0, look = FIRST_LOOK; from < chunkIds.length; from += look, look = Math.min(look * 2, LARGEST_LOOK)) {
      if (found.length >= limit || performance.now() > until) {
        return { chunkIds: found.slice(0, limit), isComplete: false };
      }
      const texts = await readContents(transaction, scope, chunkIds.slice(from, from + look));
      const { kept, isComplete } = await keepMeeting(texts, conditions, until);
      found.push(...kept.map((chunk) => chunk.chunk_id));
      if (!isComplete) {
        return { chunkIds: found.slice(0, limit), isComplete };
      }
    }
    return { chunkIds: found.slice(0, limit), isComplete: found.length <= limit };
  });
}

function seen(segments: readonly VisibleChunks[]): readonly number[] {
  return segments.flatMap(({ segmentId, capacity, ordinals }) =>
    Array.from({ length: capacity }, (_, ordinal) => ordinal)
      .filter((ordinal) => ordinals === null || hasBit(ordinals, ordinal))
      .map((ordinal) => chunkId(segmentId, ordinal)),
  );
}
