import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { LATE, within } from "#deadline.ts";

export type Metrics = {
  readonly registry: Registry;
  readonly httpDuration: Histogram<"method" | "route" | "status">;
};

/** One registry a process: Node's own metrics and the duration of every HTTP answer. */
export function createMetrics(role: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ role });
  // A hundred times a second, as is usual, would be most of what a quiet process does, and ten times still a tenth of a percent.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1_000 });
  const httpDuration = new Histogram({
    name: "sightline_http_request_duration_seconds",
    help: "Time from the request's head to the end of its answer.",
    labelNames: ["method", "route", "status"] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return { registry, httpDuration };
}

type CounterOptions<Label extends string> = { readonly name: string; readonly help: string; readonly labels: readonly Label[] };

/** A counter: a number that only rises, for each combination of labels. */
export function createCounter<Label extends string>({ registry }: Metrics, { name, help, labels }: CounterOptions<Label>): Counter<Label> {
  return new Counter({ name, help, labelNames: labels, registers: [registry] });
}

type GaugeOptions<Label extends string> = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  /** Called at each scrape. When it fails or takes over two seconds nothing is reported: unknown, which is not 0. */
  readonly read: () => Promise<readonly { readonly labels: Readonly<Record<Label, string>>; readonly value: number }[]>;
};

const READ_MS = 2_000;

/** A gauge: a number that goes up and down, read at each scrape. */
export function createGauge<Label extends string>({ registry }: Metrics, { name, help, labels, read }: GaugeOptions<Label>): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    async collect() {
      gauge.reset();
      if (labels.length === 0) {
        // A gauge without labels is reset to 0, so it is removed.
        gauge.remove();
      }
      const values = await within(() => read().catch(() => []), READ_MS);
      for (const { labels: of, value } of values === LATE ? [] : values) {
        gauge.set(of, value);
      }
    },
  });
}
