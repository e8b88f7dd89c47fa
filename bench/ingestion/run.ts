import { join } from "node:path";
import { repository, runScript } from "#scripts.ts";
import { measureConsumer, type IngestionRow } from "./consumer.ts";
import { startHttpSink, startRedisSink } from "./sinks.ts";

/**
 * `npm run bench:ingestion`: what a recorded model call costs the application, beside OpenTelemetry's SDK and Langfuse's on the same
 * calls; and how fast the consumer makes events visible, on PostgreSQL and on the embedded database.
 */
const LIBRARIES = [
  { name: "sightline", module: "packages/sdk/testing/bench-library.ts", start: startRedisSink },
  { name: "opentelemetry", module: "bench/ingestion/opentelemetry.ts", start: startHttpSink },
  { name: "langfuse", module: "bench/ingestion/langfuse.ts", start: startHttpSink },
];

type CallerRow = {
  readonly kilobytes: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuPerCall: number;
  readonly loopP99: number;
};

const callers: (CallerRow & { readonly library: string })[] = [];
let roundTrip = "";
for (const { name, module, start } of LIBRARIES) {
  const sink = await start();
  try {
    const printed = await runScript("bench/ingestion/caller.ts", join(repository, module), sink.url);
    const { rows, metrics } = JSON.parse(printed) as { readonly rows: readonly CallerRow[]; readonly metrics: string };
    callers.push(...rows.map((row) => ({ library: name, ...row })));
    roundTrip ||= roundTripOf(metrics);
  } finally {
    await sink.stop();
  }
}
console.table(
  callers
    .toSorted((one, other) => one.kilobytes - other.kilobytes)
    .map(({ library, kilobytes, p50, p99, cpuPerCall, loopP99 }) => ({
      library,
      "KB a call": kilobytes,
      "p50 µs": p50.toFixed(1),
      "p99 µs": p99.toFixed(1),
      "CPU µs a call, background included": cpuPerCall.toFixed(0),
      "event loop p99 ms": (loopP99 / 1000).toFixed(1),
    })),
);
console.log(`Redis confirmed a batch in ${roundTrip}.`);

const ingestion: IngestionRow[] = [];
const only = process.env["BENCH_STORE"];
const urls = [process.env["TEST_DATABASE_URL"]].filter((url) => url !== undefined && only !== "embedded");
const stores = only === "PostgreSQL" ? urls : [...urls, undefined];
for (const url of stores) {
  for await (const row of measureConsumer(url)) {
    ingestion.push(row);
    console.table([inShort(row)]);
  }
}
console.log(JSON.stringify({ callers, roundTrip, ingestion }));

/** The mean, and the bucket that holds the 99th percentile. */
function roundTripOf(metrics: string): string {
  const value = (name: string) => Number(new RegExp(`^studio_event_round_trip_seconds${name} (\\S+)$`, "m").exec(metrics)?.[1]);
  const count = value("_count");
  const buckets = [...metrics.matchAll(/^studio_event_round_trip_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)];
  const bound = buckets.find(([, , below]) => Number(below) >= count * 0.99)?.[1];
  return `${((value("_sum") / count) * 1000).toFixed(2)} ms on average, 99 of 100 within ${Number(bound) * 1000} ms`;
}

function inShort({ perSecond, visibleP50Ms, visibleP95Ms, rowsPerEvent, bytesPerEvent, ...row }: IngestionRow) {
  return {
    ...row,
    "events/s": perSecond.toFixed(0),
    "visible p50 ms": visibleP50Ms?.toFixed(0) ?? "",
    "visible p95 ms": visibleP95Ms?.toFixed(0) ?? "",
    "rows an event": rowsPerEvent.toFixed(2),
    "bytes an event": bytesPerEvent.toFixed(0),
  };
}
