import { loadavg } from "node:os";
import { join } from "node:path";
import { repository, runScript } from "#scripts.ts";
import { startHttpSink, startRedisSink } from "./sinks.ts";

/**
 * `npm run bench:sdk`: what a recorded model call costs the application, beside OpenTelemetry's SDK and Langfuse's on the same calls.
 * Each library is measured in processes of its own, by turns, `BENCH_ROUNDS` times; the table has the medians of the rounds.
 */
const LIBRARIES = [
  { name: "sightline", module: "packages/sdk/testing/bench-library.ts", start: startRedisSink },
  { name: "opentelemetry", module: "bench/ingestion/opentelemetry.ts", start: startHttpSink },
  { name: "opentelemetry, spans alone", module: "bench/ingestion/opentelemetry-spans.ts", start: startHttpSink },
  { name: "langfuse", module: "bench/ingestion/langfuse.ts", start: startHttpSink },
  { name: "nothing", module: "bench/ingestion/nothing.ts", start: startHttpSink },
];
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);

type Row = {
  readonly kilobytes: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuPerCall: number;
  readonly loopP99: number;
};

const loadBefore = loadavg();
const rounds = new Map<string, Row[]>(LIBRARIES.map(({ name }) => [name, []]));
let roundTrip = "";
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { name, module, start } of LIBRARIES) {
    const sink = await start();
    try {
      const printed = await runScript("bench/ingestion/caller.ts", join(repository, module), sink.url);
      const { rows, metrics } = JSON.parse(printed) as { readonly rows: readonly Row[]; readonly metrics: string };
      rounds.get(name)?.push(...rows);
      roundTrip ||= roundTripOf(metrics);
    } finally {
      await sink.stop();
    }
  }
}
console.table([...new Set(rounds.get("nothing")?.map(({ kilobytes }) => kilobytes))].flatMap((kilobytes) => tableOf(kilobytes)));
console.log(
  `Redis confirmed a batch in ${roundTrip}. Load: ${[...loadBefore.slice(0, 1), ...loadavg()].map((load) => load.toFixed(1)).join(", ")}.`,
);

/** CPU is what a library adds to the loop that measures it; "ours / its" compares this SDK's with a library's. */
function tableOf(kilobytes: number) {
  const median = (library: string, column: keyof Row) =>
    medianOf((rounds.get(library) ?? []).filter((row) => row.kilobytes === kilobytes).map((row) => row[column]));
  const cpu = (library: string) => median(library, "cpuPerCall") - median("nothing", "cpuPerCall");
  return LIBRARIES.map(({ name }) => ({
    "KB a call": kilobytes,
    library: name,
    "p50 µs": median(name, "p50").toFixed(1),
    "p99 µs": median(name, "p99").toFixed(1),
    "CPU µs a call": (name === "nothing" ? median(name, "cpuPerCall") : cpu(name)).toFixed(0),
    "event loop p99 ms": (median(name, "loopP99") / 1000).toFixed(1),
    "ours / its: p50": (median("sightline", "p50") / median(name, "p50")).toFixed(2),
    p99: (median("sightline", "p99") / median(name, "p99")).toFixed(2),
    CPU: (cpu("sightline") / cpu(name)).toFixed(2),
    "CPU, loop included": (median("sightline", "cpuPerCall") / median(name, "cpuPerCall")).toFixed(2),
  }));
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The mean, and the bucket that holds the 99th percentile. */
function roundTripOf(metrics: string): string {
  const value = (name: string) => Number(new RegExp(`^studio_event_round_trip_seconds${name} (\\S+)$`, "m").exec(metrics)?.[1]);
  const count = value("_count");
  const buckets = [...metrics.matchAll(/^studio_event_round_trip_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)];
  const bound = buckets.find(([, , below]) => Number(below) >= count * 0.99)?.[1];
  return metrics === "" ? "" : `${((value("_sum") / count) * 1000).toFixed(2)} ms on average, 99 of 100 within ${Number(bound) * 1000} ms`;
}
