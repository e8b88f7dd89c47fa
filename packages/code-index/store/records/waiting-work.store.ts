import { sql } from "kysely";
import type { Clock } from "@sightline/foundation/clock";
import { before } from "./failed-jobs.store.ts";
import { WAITS_MS } from "./previews.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** What there may be to take from the queue; another worker may be faster. */
export type WaitingWork = {
  readonly jobs: boolean;
  readonly previews: boolean;
  /** In how many milliseconds the next job is due that waits for its time; null when none does. */
  readonly nextInMs: number | null;
};

/** For whom the answer is the same: a little less than the pause between two reads of an empty queue. */
const SHARED_MS = 250;

export type WaitingWorkReader = {
  readonly read: () => Promise<WaitingWork>;
  /** Takes back what was read: there is something new. */
  readonly forget: () => void;
};

/**
 * Asks whether jobs or previews wait, in one short statement for all who take them. To take one is a statement of many joins,
 * and a quiet product would run it a dozen times a second for nothing.
 */
export function createWaitingWork(database: CodeIndexDatabase, clock: Clock): WaitingWorkReader {
  let asked: { readonly at: number; readonly answer: Promise<WaitingWork> } | undefined;
  return {
    read: () => {
      if (asked === undefined || performance.now() - asked.at > SHARED_MS) {
        asked = { at: performance.now(), answer: findWaitingWork(database, clock.now()) };
      }
      return asked.answer;
    },
    forget: () => (asked = undefined),
  };
}

async function findWaitingWork(database: CodeIndexDatabase, now: Date): Promise<WaitingWork> {
  const { rows } = await sql<WaitingWork>`
    select exists (select from codeindex.index_jobs where status = 'queued' and not_before <= ${now}) as jobs,
      exists (select from codeindex.previews where status in ('queued', 'running') and requested_at > ${before(now, WAITS_MS)}) as previews,
      (
        select extract(epoch from min(not_before) - ${now}::timestamptz)::double precision * 1000
        from codeindex.index_jobs where status = 'queued' and not_before > ${now}
      ) as "nextInMs"
  `.execute(database.query);
  return rows[0] ?? { jobs: true, previews: true, nextInMs: null };
}
