import type { Clock } from "@sightline/foundation/clock";
import type { JobProgress } from "#schema.ts";

export type ProgressMeter = {
  readonly report: (progress: JobProgress) => void;
  /** The latest report with its rate; `undefined` when it got no further since the last that was taken. */
  readonly take: () => JobProgress | undefined;
};

/** How much the latest stretch counts in the rate. */
const WEIGHT = 0.3;

export function createProgressMeter(clock: Clock): ProgressMeter {
  let latest: JobProgress | undefined;
  let taken: (JobProgress & { readonly at: number }) | undefined;

  return {
    report: (progress) => {
      latest = progress;
    },
    take: () => {
      if (latest === undefined || (taken !== undefined && isSame(latest, taken))) {
        return undefined;
      }
      const at = clock.now().getTime();
      const rate = taken?.phase === latest.phase ? rateSince(taken, latest, at) : undefined;
      const progress = { phase: latest.phase, done: latest.done, total: latest.total, ...(rate === undefined ? {} : { rate }) };
      taken = { ...progress, at };
      return progress;
    },
  };
}

function isSame(one: JobProgress, other: JobProgress): boolean {
  return one.phase === other.phase && one.done === other.done && one.total === other.total;
}

function rateSince(before: JobProgress & { readonly at: number }, { done }: JobProgress, at: number): number | undefined {
  const seconds = (at - before.at) / 1_000;
  if (seconds <= 0 || done < before.done) {
    return before.rate;
  }
  const latest = (done - before.done) / seconds;
  const rate = before.rate === undefined ? latest : before.rate * (1 - WEIGHT) + latest * WEIGHT;
  return Math.round(rate * 10) / 10;
}
