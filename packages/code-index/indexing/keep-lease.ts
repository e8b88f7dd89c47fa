import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import type { JobProgress } from "#schema.ts";
import { renewLease, type Lease } from "#store/leases.store.ts";
import type { CodeIndexDatabase } from "#store/tenant.ts";
import { BrokenOff } from "./broken-off.ts";

type LeaseTools = { readonly database: CodeIndexDatabase; readonly log: Logger; readonly clock: Clock };

export type KeptLease = {
  /** Writes how far the job is, within a second. */
  readonly report: (progress: JobProgress) => void;
  readonly stop: () => Promise<void>;
};

/** Between two looks at the lease; progress is written that often at the most. */
const BEAT_MS = 1_000;
/** A lease is renewed that often, progress or not. */
const RENEW_MS = 10_000;

/** Renews a job's lease until stopped, and breaks the job off when it was lost or somebody asked to cancel. */
export function keepLease({ database, log, clock }: LeaseTools, { jobId, workerId }: Lease, broken: AbortController): KeptLease {
  let latest: JobProgress | undefined;
  let renewed = clock.now().getTime();
  let beating = Promise.resolve();

  async function beat(): Promise<void> {
    const now = clock.now();
    if (latest === undefined && now.getTime() - renewed < RENEW_MS) {
      return;
    }
    const progress = latest;
    latest = undefined;
    try {
      const state = await renewLease(database, { jobId, workerId, now, progress });
      renewed = now.getTime();
      if (state !== "held") {
        broken.abort(new BrokenOff(state));
      }
    } catch (error) {
      // The next beat tries again; if none gets through the lease lapses, and the switch is refused.
      log.warn({ err: error, job: jobId }, "the lease could not be renewed");
    }
  }

  const timer = setInterval(() => {
    beating = beating.then(beat);
  }, BEAT_MS);
  return {
    report: (progress: JobProgress) => {
      latest = progress;
    },
    stop: async () => {
      clearInterval(timer);
      await beating;
    },
  };
}
