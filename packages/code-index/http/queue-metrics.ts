import type { Clock } from "@sightline/foundation/clock";
import { createGauge, type Metrics } from "@sightline/foundation/http/metrics";
import { readQueue, type QueueState } from "./queue.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

type QueueMetricsOptions = {
  readonly metrics: Metrics;
  readonly database: CodeIndexDatabase;
  readonly clock: Clock;
  readonly watchdogLookedAt: () => Date | undefined;
};

/** Gauges of one scrape share one read of the database. */
const SHARED_MS = 1_000;

/** Metrics of the job queue, for all tenants together. */
export function registerQueueMetrics({ metrics, database, clock, watchdogLookedAt }: QueueMetricsOptions): void {
  let asked: { readonly at: number; readonly state: Promise<QueueState> } | undefined;
  const queue = (): Promise<QueueState> => {
    const now = clock.now();
    if (asked === undefined || now.getTime() - asked.at > SHARED_MS) {
      asked = { at: now.getTime(), state: readQueue(database, { now }) };
    }
    return asked.state;
  };

  createGauge(metrics, {
    name: "codeindex_jobs",
    help: "Jobs that wait and that run.",
    labels: ["status"],
    read: async () => {
      const { queued, running } = await queue();
      return labelled("status", { queued, running });
    },
  });
  createGauge(metrics, {
    name: "codeindex_oldest_queued_job_seconds",
    help: "How long the job waits that has been due for longest.",
    labels: [],
    read: async () => [{ labels: {}, value: (await queue()).oldest_queued_seconds }],
  });
  createGauge(metrics, {
    name: "codeindex_jobs_ended_last_hour",
    help: "Jobs that ended in the last hour, by how they ended.",
    labels: ["status"],
    read: async () => {
      const { succeeded, failed, cancelled } = await queue();
      return labelled("status", { succeeded, failed, cancelled });
    },
  });
  createGauge(metrics, {
    name: "codeindex_job_seconds_last_hour",
    help: "From the start to the end of the jobs that succeeded in the last hour.",
    labels: ["quantile"],
    read: async () => {
      const { median_seconds: median, p95_seconds: p95 } = await queue();
      return labelled("quantile", { "0.5": median ?? Number.NaN, "0.95": p95 ?? Number.NaN });
    },
  });
  createGauge(metrics, {
    name: "codeindex_watchdog_age_seconds",
    help: "Since this process's watchdog last looked at the jobs; it does every 60 s.",
    labels: [],
    read: async () => {
      const lookedAt = watchdogLookedAt();
      return lookedAt === undefined ? [] : [{ labels: {}, value: (clock.now().getTime() - lookedAt.getTime()) / 1_000 }];
    },
  });
}

function labelled<Label extends string>(label: Label, values: Readonly<Record<string, number>>) {
  return Object.entries(values).map(([of, value]) => ({ labels: { [label]: of } as Record<Label, string>, value }));
}
