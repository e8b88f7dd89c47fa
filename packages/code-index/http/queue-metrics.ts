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
  /** A value for each value of a label. */
  const gauge = (name: string, help: string, label: string, valuesOf: (state: QueueState) => Readonly<Record<string, number>>) => {
    const read = async () => Object.entries(valuesOf(await queue())).map(([of, value]) => ({ labels: { [label]: of }, value }));
    createGauge(metrics, { name, help, labels: [label], read });
  };

  gauge("codeindex_jobs", "Jobs that wait and that run.", "status", ({ queued, running }) => ({ queued, running }));
  createGauge(metrics, {
    name: "codeindex_oldest_queued_job_seconds",
    help: "How long the job waits that has been due for longest.",
    labels: [],
    read: async () => [{ labels: {}, value: (await queue()).oldest_queued_seconds }],
  });
  gauge(
    "codeindex_jobs_ended_last_hour",
    "Jobs that ended in the last hour, by how they ended.",
    "status",
    ({ succeeded, failed, cancelled }) => ({ succeeded, failed, cancelled }),
  );
  gauge(
    "codeindex_job_seconds_last_hour",
    "From the start to the end of the jobs that succeeded in the last hour.",
    "quantile",
    ({ median_seconds: median, p95_seconds: p95 }) => ({ "0.5": median ?? Number.NaN, "0.95": p95 ?? Number.NaN }),
  );
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
