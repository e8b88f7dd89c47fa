import type { Query } from "#schema.ts";
import { unlessNodeIsAway } from "#store/node-away.ts";
import { READER_WAITS_MS, unlessLocked } from "#store/while-locked.ts";
import { countMarkedTraces, findUncounted, repriceTraces } from "#counting/count-traces.store.ts";

/** How long a reader counts before it answers. */
const BUDGET_MS = 300;

export type Counted = {
  /** Whether the entries are what the traces are. */
  readonly isCounted: boolean;
  /** Whether they may still have costs by prices that have changed. */
  readonly isCostPending: boolean;
};

/** Counts what is marked at this moment, so that who reads the entries reads everything written before; within limits, and says so. */
export async function refreshEntries(query: Query, projectId: string, budgetMs = BUDGET_MS): Promise<Counted> {
  const { lastMark, isRepricing } = await findUncounted(query, projectId);
  const deadline = performance.now() + budgetMs;
  const waitMs = READER_WAITS_MS;
  const countTo = (last: string) =>
    unlessLocked(() => repeat(() => countMarkedTraces(query, projectId, { lastMark: last, waitMs }), deadline), true);
  const repriceOn = () => unlessLocked(() => repeat(() => repriceTraces(query, projectId, { waitMs }), deadline), true);
  const hasMarks = lastMark !== null && (await unlessNodeIsAway(() => countTo(lastMark), false));
  const isCostPending = isRepricing && (hasMarks || (await unlessNodeIsAway(repriceOn, true)));
  return { isCounted: !hasMarks, isCostPending };
}

/** @returns whether there is more to do when the time is over. */
async function repeat(step: () => Promise<boolean>, deadline: number): Promise<boolean> {
  let hasMore = true;
  while (hasMore && performance.now() < deadline) {
    hasMore = await step();
  }
  return hasMore;
}
