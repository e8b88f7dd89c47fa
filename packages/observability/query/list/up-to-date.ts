import type { Query } from "#schema.ts";
import { unlessNodeIsAway } from "#store/node-away.ts";
import { countMarkedTraces, findUncounted, walkTraces } from "#store/trace-entries.store.ts";

/** What a reader does of it before it answers. */
const BUDGET_MS = 300;

export type Counted = {
  /** Whether the entries are what the traces are. */
  readonly isCounted: boolean;
  /** Whether they may still have costs by prices that have changed. */
  readonly isCostPending: boolean;
};

/** Counts what is marked at this moment, so that who reads the entries reads everything written before; within limits, and says so. */
export async function bringUpToDate(query: Query, projectId: string): Promise<Counted> {
  const { lastMark, walk } = await findUncounted(query, projectId);
  const deadline = performance.now() + BUDGET_MS;
  const hasMarks =
    lastMark !== null && (await unlessNodeIsAway(() => repeat(() => countMarkedTraces(query, projectId, lastMark), deadline), false));
  const isWalking =
    walk !== null && (hasMarks || (await unlessNodeIsAway(() => repeat(() => walkTraces(query, projectId), deadline), true)));
  return { isCounted: !hasMarks && !(isWalking && walk === "all"), isCostPending: isWalking };
}

/** @returns whether there is more to do when the time is over. */
async function repeat(step: () => Promise<boolean>, deadline: number): Promise<boolean> {
  let hasMore = true;
  while (hasMore && performance.now() < deadline) {
    hasMore = await step();
  }
  return hasMore;
}
