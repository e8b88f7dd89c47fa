import type { Clock } from "@sightline/foundation/clock";
import { createEachOwner } from "@sightline/foundation/each-owner";
import type { Logger } from "@sightline/foundation/log";
import { repeat } from "@sightline/foundation/repeat";
import { failOrphans, failStuck, fixEndedByHand } from "#store/records/failed-jobs.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

type WatchdogOptions = { readonly database: CodeIndexDatabase; readonly log: Logger; readonly clock: Clock };

const PERIOD_MS = 60_000;

/** Marks jobs as failed whose indexer has gone or that don't get on; never a healthy job, of whatever process. */
export type Watchdog = {
  /** Steps 2 and 3 of the start-up: returns once the orphaned jobs are marked, then looks every 60 s. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** When it last looked without a failure; `undefined` before the first time. */
  readonly lookedAt: () => Date | undefined;
};

export function createWatchdog({ database, log, clock }: WatchdogOptions): Watchdog {
  const each = createEachOwner({ log, clock, name: "ending a job that does not get on" });
  let lookedAt: Date | undefined;

  async function look(): Promise<void> {
    const now = clock.now();
    const orphaned = await failOrphans(database, { now, each });
    const stuck = await failStuck(database, { now, each });
    if (orphaned + stuck > 0) {
      log.warn({ orphaned, stuck }, "jobs without a living indexer were marked as failed");
    }
    await fixEndedByHand(database, { now, each });
    lookedAt = now;
  }

  const repeated = repeat({ log, tasks: [{ name: "looking for stuck jobs", everyMs: PERIOD_MS, firstInMs: PERIOD_MS, run: look }] });
  return {
    lookedAt: () => lookedAt,
    start: async () => {
      await look();
      repeated.start();
    },
    stop: repeated.stop,
  };
}
