import { loadavg } from "node:os";
import { join } from "node:path";
import { repository, runScript } from "#scripts.ts";
import { startHttpSink, startRedisSink } from "./sinks.ts";

/**
 * `npm run bench:sdk`: what a recorded model call costs the application, beside OpenTelemetry's SDK and Langfuse's on the same calls.
 * Each library is measured in processes of its own, by turns, `BENCH_ROUNDS` times; the table has the medians of the rounds, and the
 * medians of each round's ratios, in which what else the machine does then hits both. `BENCH_LIBRARIES` leaves some out.
 */
const LIBRARIES = [
  { name: "sightline", module: "packages/sdk/testing/bench-library.ts", start: startRedisSink },
  { name: "opentelemetry", module: "bench/ingestion/opentelemetry.ts", start: startHttpSink },
  { name: "opentelemetry, spans alone", module: "bench/ingestion/opentelemetry-spans.ts", start: startHttpSink },
  { name: "langfuse", module: "bench/ingestion/langfuse.ts", start: startHttpSink },
  { name: "nothing", module: "bench/ingestion/nothing.ts", start: startHttpSink },
].filter(({ name }) => (process.env["BENCH_LIBRARIES"]?.split(",") ?? [name]).includes(name));
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);

type Row = {
  readonly payload: string;
  readonly p50: number;
  readonly p99: number;
  readonly cpuPerCall: number;
  readonly loopP99: number;
  readonly loopMax: number;
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
console.table([...new Set(rounds.get("nothing")?.map(({ payload }) => payload))].flatMap((payload) => tableOf(payload)));
console.log(
  `Redis confirmed a batch in ${roundTrip}. Load: ${[...loadBefore.slice(0, 1), ...loadavg()].map((load) => load.toFixed(1)).join(", ")}.`,
);

/** CPU is the whole process's, less what the loop that measures takes; "ours / its" compares this SDK with a library. */
function tableOf(payload: string) {
  const rowsOf = (library: string) => (rounds.get(library) ?? []).filter((row) => row.payload === payload);
  const [ours, bare] = [rowsOf("sightline"), rowsOf("nothing")];
  return LIBRARIES.map(({ name }) => {
    const its = rowsOf(name);
    const median = (valueOf: (row: Row, round: number) => number) => medianOf(its.map(valueOf));
    const cpu = (row: Row | undefined, round: number) => (row?.cpuPerCall ?? Number.NaN) - (bare[round]?.cpuPerCall ?? Number.NaN);
    const ratio = (valueOf: (row: Row | undefined, round: number) => number) =>
      median((row, round) => valueOf(ours[round], round) / valueOf(row, round)).toFixed(2);
    return {
      payload,
      library: name,
      "p50 µs": median(({ p50 }) => p50).toFixed(1),
      "p99 µs": median(({ p99 }) => p99).toFixed(1),
      "CPU µs a call": median(name === "nothing" ? ({ cpuPerCall }) => cpuPerCall : cpu).toFixed(0),
      "event loop p99 ms": median(({ loopP99 }) => loopP99 / 1000).toFixed(1),
      "longest ms": median(({ loopMax }) => loopMax / 1000).toFixed(0),
      "ours / its: p50": ratio((row) => row?.p50 ?? Number.NaN),
      p99: ratio((row) => row?.p99 ?? Number.NaN),
      CPU: ratio(cpu),
      "CPU, loop included": ratio((row) => row?.cpuPerCall ?? Number.NaN),
      "event loop p99": ratio((row) => row?.loopP99 ?? Number.NaN),
    };
  });
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
