import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import type { JobProgress } from "#schema.ts";
import { checkLease, renewLease, type Lease } from "#store/records/leases.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { BrokenOff } from "./interrupted.ts";
import { createProgressMeter } from "./progress-meter.ts";

type LeaseTools = { readonly database: CodeIndexDatabase; readonly log: Logger; readonly clock: Clock };

export type KeptLease = {
  /** Writes how far the job is, within a second. */
  readonly report: (progress: JobProgress) => void;
  /** Aborted when the lease was lost or somebody asked to cancel. */
  readonly broken: AbortSignal;
  readonly stop: () => Promise<void>;
};

/** Between two looks at the lease; progress is written that often at the most. */
const BEAT_MS = 1_000;
/** A lease is renewed that often, progress or not. */
const RENEW_MS = 10_000;

/** Renews a job's lease until stopped, and looks every second whether the job was cancelled or taken away. */
export function keepLease({ database, log, clock }: LeaseTools, { jobId, workerId }: Lease): KeptLease {
  const broken = new AbortController();
  const meter = createProgressMeter(clock);
  let renewed = clock.now().getTime();
  let isBeating = false;
  let isStopped = false;
  let beating = Promise.resolve();

  async function beat(): Promise<void> {
    const now = clock.now();
    const progress = meter.take();
    const isDue = progress !== undefined || now.getTime() - renewed >= RENEW_MS;
    try {
      const lease = { jobId, workerId };
      const state = isDue ? await renewLease(database, { ...lease, now, progress }) : await checkLease(database, lease);
      if (isDue) {
        renewed = now.getTime();
      }
      if ((state === "lost" || state === "cancelled") && !isStopped) {
        broken.abort(new BrokenOff(state));
      } else if (state === "succeeded") {
        // What the worker still tidies up has no job any more.
        clearInterval(timer);
      }
    } catch (error) {
      // The next beat tries again; if none gets through the lease lapses, and the switch is refused.
      log.warn({ err: error, job: jobId }, "the lease could not be renewed");
    }
    isBeating = false;
  }

  const timer = setInterval(() => {
    // With a slow database no second beat begins while one runs.
    if (!isBeating) {
      isBeating = true;
      beating = beat();
    }
  }, BEAT_MS);
  return {
    report: meter.report,
    broken: broken.signal,
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await beating;
    },
  };
}
