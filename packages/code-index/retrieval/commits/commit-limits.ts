import type { CommitsAnswer } from "#contract.ts";
import type { HistoryRow } from "./read-commits.store.ts";

/** A date without a time includes its whole day. */
export function endOf(until: string): Date {
  return until.includes("T") ? new Date(until) : new Date(new Date(until).getTime() + 86_399_999);
}

export function depthOf(history: HistoryRow | undefined): CommitsAnswer["depth"] {
  const { commits = 0, complete = false, newest = null, fetched_at = null } = history ?? {};
  return { commits, complete, newest, fetched_at: fetched_at?.toISOString() ?? null };
}
