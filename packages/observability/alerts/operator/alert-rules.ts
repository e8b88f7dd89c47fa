import { MAX_STREAM_LENGTH } from "#config.ts";

export type AlertRule = {
  readonly name: string;
  readonly severity: "warning" | "critical";
  /** The alert fires when the number is above this. */
  readonly above: number;
  readonly unit: "events" | "seconds" | "bytes" | "ratio" | "connections" | "consumers" | "hours";
  /** The meaning of the alert, and what to do. */
  readonly summary: string;
  /** The metric of this process that holds the number; undefined for numbers that only the observed application knows. */
  readonly metric: string | undefined;
  /** The Prometheus expression that is compared with `above`. */
  readonly expression: string;
  /** How long the condition must hold before Prometheus fires. */
  readonly held: string;
};

const MEGABYTE = 1024 * 1024;

/** The contract's alerts, and those that reveal losses. `docs/prometheus-alerts.yml` is written from them. */
export const alertRules: readonly AlertRule[] = [
  {
    name: "StreamLength",
    severity: "warning",
    above: 80_000,
    unit: "events",
    summary: `A partition of the stream nears the ${MAX_STREAM_LENGTH} events at which producers trim it and events are lost. Run another consumer, or find out why it lags.`,
    metric: "studio_stream_longest_partition",
    expression: "studio_stream_longest_partition",
    held: "1m",
  },
  {
    name: "ConsumerLag",
    severity: "critical",
    above: 300,
    unit: "seconds",
    summary: "Events wait for more than five minutes. See the consumer's log and whether the database answers.",
    metric: "studio_consumer_lag_seconds",
    expression: "studio_consumer_lag_seconds",
    held: "1m",
  },
  {
    name: "PublishLatency",
    severity: "warning",
    above: 0.01,
    unit: "seconds",
    summary: "Recording an event takes the observed application more than 10 ms on its own thread. Lower the size of what it captures.",
    metric: undefined,
    expression: "histogram_quantile(0.99, sum by (le, job, instance) (rate(studio_event_publish_duration_seconds_bucket[5m])))",
    held: "5m",
  },
  {
    name: "RedisMemory",
    severity: "critical",
    above: 450 * MEGABYTE,
    unit: "bytes",
    summary:
      "The stream's Redis uses more than 450 MB. When it reaches maxmemory it refuses events. Run another consumer, or give it more.",
    metric: "studio_redis_memory_bytes",
    expression: "studio_redis_memory_bytes",
    held: "1m",
  },
  {
    name: "BackendCpu",
    severity: "warning",
    above: 0.85,
    unit: "ratio",
    summary: "The backend's process uses more than 85 percent of one processor, which is all that it can use. Run another replica.",
    metric: "studio_backend_cpu_ratio",
    expression: "studio_backend_cpu_ratio",
    held: "5m",
  },
  {
    name: "BackendMemory",
    severity: "critical",
    above: 0.9,
    unit: "ratio",
    summary: "The backend's process uses more than 90 percent of the memory it may have. Give it more, or run another replica.",
    metric: "studio_backend_memory_ratio",
    expression: "studio_backend_memory_ratio",
    held: "1m",
  },
  {
    name: "DatabaseConnections",
    severity: "warning",
    above: 90,
    unit: "connections",
    summary:
      "More than 90 connections to PostgreSQL are open, whose default limit is 100. Lower DATABASE_POOL_SIZE, or raise max_connections.",
    metric: "studio_database_connections",
    expression: "studio_database_connections",
    held: "1m",
  },
  {
    name: "ConsumerGone",
    severity: "critical",
    above: 0,
    unit: "consumers",
    summary: "There is no heartbeat: no consumer runs, none can write to the database, or Redis is away. Events wait on the stream.",
    metric: undefined,
    expression: "1 - (studio_consumer_heartbeat == bool 1)",
    held: "1m",
  },
  {
    name: "EventsLost",
    severity: "critical",
    above: 0,
    unit: "events",
    summary: "Events are missing for good. GET /api/v1/gaps says which; run another consumer before the stream is trimmed again.",
    metric: undefined,
    expression: "sum(increase(studio_events_lost_total[10m]))",
    held: "0m",
  },
  {
    name: "HoursUncounted",
    severity: "warning",
    above: 0,
    unit: "hours",
    summary:
      "Hours of some project can't be counted: dashboards, usual durations and the code that ran lack them. Others go on. The log of whoever has the database says why; they are tried again.",
    metric: "studio_uncounted_hours",
    expression: "studio_uncounted_hours",
    held: "5m",
  },
];
