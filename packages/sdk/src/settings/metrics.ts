/** What the SDK measures about itself. One per process; a publisher that is replaced goes on counting here. */
export type PublisherMetrics = {
  published: number;
  readonly dropped: Map<string, number>;
  readonly publishSeconds: Histogram;
  readonly roundTripSeconds: Histogram;
  streamLength: number | undefined;
  consumerLagSeconds: number | undefined;
  consumerAlive: boolean | undefined;
  bufferedEvents: () => number;
  bufferedBytes: () => number;
};

export type Histogram = { readonly bounds: readonly number[]; readonly counts: number[]; sum: number; count: number };

const PUBLISH_BOUNDS = [0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002, 0.005, 0.01, 0.05];
const ROUND_TRIP_BOUNDS = [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2];

export function createMetrics(): PublisherMetrics {
  return {
    published: 0,
    dropped: new Map(),
    publishSeconds: createHistogram(PUBLISH_BOUNDS),
    roundTripSeconds: createHistogram(ROUND_TRIP_BOUNDS),
    streamLength: undefined,
    consumerLagSeconds: undefined,
    consumerAlive: undefined,
    bufferedEvents: () => 0,
    bufferedBytes: () => 0,
  };
}

export function observe(histogram: Histogram, seconds: number): void {
  histogram.sum += seconds;
  histogram.count += 1;
  const index = histogram.bounds.findIndex((bound) => seconds <= bound);
  const slot = index === -1 ? histogram.bounds.length : index;
  histogram.counts[slot] = (histogram.counts[slot] ?? 0) + 1;
}

export function countDropped(metrics: PublisherMetrics, reason: string, count: number): void {
  if (count > 0) {
    metrics.dropped.set(reason, (metrics.dropped.get(reason) ?? 0) + count);
  }
}

/** The Prometheus text format. What was never measured has no sample, so that an alert does not read it as zero. */
export function formatMetrics(metrics: PublisherMetrics): string {
  const dropped = [...metrics.dropped].map(([reason, count]) => `studio_events_dropped_total{reason="${reason}"} ${count}`);
  const alive = metrics.consumerAlive === undefined ? undefined : Number(metrics.consumerAlive);
  return [
    ...family("studio_events_published_total", "counter", "Events that Redis has confirmed.", [
      `studio_events_published_total ${metrics.published}`,
    ]),
    ...family("studio_events_dropped_total", "counter", "Events that will not arrive, by reason.", dropped),
    ...histogramFamily("studio_event_publish_duration_seconds", "Time a publish takes on the caller's thread.", metrics.publishSeconds),
    ...histogramFamily("studio_event_round_trip_seconds", "Time until Redis confirmed a batch.", metrics.roundTripSeconds),
    ...gauge("studio_stream_length", "Entries in the stream.", metrics.streamLength),
    ...gauge("studio_consumer_lag_seconds", "Age of the first entry no consumer has read.", metrics.consumerLagSeconds),
    ...gauge("studio_consumer_heartbeat", "1 while a consumer is alive.", alive),
    ...gauge("studio_buffered_events", "Events waiting in this process.", metrics.bufferedEvents()),
    ...gauge("studio_buffered_bytes", "Bytes of events waiting in this process.", metrics.bufferedBytes()),
    "",
  ].join("\n");
}

function createHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0, count: 0 };
}

function family(name: string, type: string, help: string, samples: readonly string[]): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples];
}

function gauge(name: string, help: string, value: number | undefined): string[] {
  return family(name, "gauge", help, value === undefined ? [] : [`${name} ${value}`]);
}

function histogramFamily(name: string, help: string, measured: Histogram): string[] {
  let below = 0;
  const buckets = measured.bounds.map((bound, index) => {
    below += measured.counts[index] ?? 0;
    return `${name}_bucket{le="${bound}"} ${below}`;
  });
  return family(name, "histogram", help, [
    ...buckets,
    `${name}_bucket{le="+Inf"} ${measured.count}`,
    `${name}_sum ${measured.sum}`,
    `${name}_count ${measured.count}`,
  ]);
}
