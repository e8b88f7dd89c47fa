import type { ChartMeasure, Figures, Spread } from "#contract.ts";
import type { Traces } from "#query/columns/chosen-traces.ts";
import { HOUR_MS, statusByte } from "#query/columns/hour-columns.ts";
import { knownOf, percentilesBetween, sumOf } from "#query/columns/percentiles.ts";

type Point = Figures & { readonly time: string };
type Group = Figures & { readonly key: string; readonly series: Point[] };

const FAILURE = statusByte("failure");
/** Groups of which a series is told. */
const GROUPS_OVER_TIME = 10;

type SumOptions = { readonly stepHours: number; readonly top: ChartMeasure; readonly groups: number };
type SummedUp = { readonly total: Figures; readonly series: Point[]; readonly groups_total: number; readonly groups: Group[] };

/** Figures of all traces, by step, and of the first groups; exact. */
export function sumUpTraces(traces: Traces, { stepHours, top, groups }: SumOptions): SummedUp {
  const all = new Int32Array(traces.count).map((_, trace) => trace);
  const ranked = [...traces.groups]
    .filter(([, own]) => own.length > 0)
    .map(([key, own]) => {
      const members = new Int32Array(own);
      return { key, members, rank: rankOf(traces, members, top) };
    })
    .toSorted(byRank);
  const seriesOf = (members: Int32Array) => sumUpSteps(traces, members, stepHours * HOUR_MS);
  return {
    total: figuresOf(traces, all),
    series: seriesOf(all),
    groups_total: ranked.length,
    groups: ranked.slice(0, groups).map(({ key, members }, place) => ({
      key,
      ...figuresOf(traces, members),
      series: place < GROUPS_OVER_TIME ? seriesOf(members) : [],
    })),
  };
}

/** In the order of time; traces of one hour, and so of one step, follow each other, the newest first. */
function sumUpSteps(traces: Traces, members: Int32Array, stepMs: number): Point[] {
  const stepAt = (index: number) => Math.floor((traces.hours[members[index] ?? 0] ?? 0) / stepMs) * stepMs;
  const points: Point[] = [];
  for (let first = 0, next = 0; first < members.length; first = next) {
    const step = stepAt(first);
    while (next < members.length && stepAt(next) === step) {
      next += 1;
    }
    points.push({ time: new Date(step).toISOString(), ...figuresOf(traces, members.subarray(first, next)) });
  }
  return points.toReversed();
}

function figuresOf({ numbers, statuses }: Traces, members: Int32Array): Figures {
  const costs = knownOf(numbers.cost, members);
  return {
    traces: { count: members.length, failures: failuresOf(statuses, members), ...spreadOf(knownOf(numbers.duration_ms, members)) },
    input_tokens: tokensOf(numbers.input_tokens, members),
    output_tokens: tokensOf(numbers.output_tokens, members),
    cost: costs.length === 0 ? null : sumOf(costs),
    time_to_first_token: spreadOf(knownOf(numbers.time_to_first_token_ms, members)),
  };
}

function failuresOf(statuses: Uint8Array, members: Int32Array): number {
  let failures = 0;
  for (let index = 0; index < members.length; index += 1) {
    failures += statuses[members[index] ?? 0] === FAILURE ? 1 : 0;
  }
  return failures;
}

/** A producer may count nonsense. */
function tokensOf(column: Float64Array, members: Int32Array): number {
  return Math.min(sumOf(knownOf(column, members)), Number.MAX_SAFE_INTEGER);
}

function spreadOf(times: Float64Array): Spread {
  const mean = times.length === 0 ? null : sumOf(times) / times.length;
  const [p50 = null, p95 = null, p99 = null] = percentilesBetween(times, [0.5, 0.95, 0.99]);
  return { p50_ms: p50, p95_ms: p95, p99_ms: p99, mean_ms: mean };
}

type Ranked = { readonly key: string; readonly rank: number | null };

function byRank(one: Ranked, other: Ranked): number {
  const [a, b] = [one.rank ?? -Infinity, other.rank ?? -Infinity];
  return a === b ? (one.key < other.key ? -1 : 1) : b - a;
}

/** The number by which the first groups are chosen. A rate is highest where there is hardly anything, so that failures are counted instead. */
function rankOf({ numbers, statuses }: Traces, members: Int32Array, top: ChartMeasure): number | null {
  const percentileOf = (column: Float64Array, part: number) => percentilesBetween(knownOf(column, members), [part])[0] ?? null;
  switch (top) {
    case "traces":
      return members.length;
    case "error_rate":
      return failuresOf(statuses, members);
    case "p50":
      return percentileOf(numbers.duration_ms, 0.5);
    case "p95":
      return percentileOf(numbers.duration_ms, 0.95);
    case "p99":
      return percentileOf(numbers.duration_ms, 0.99);
    case "cost": {
      const costs = knownOf(numbers.cost, members);
      return costs.length === 0 ? null : sumOf(costs);
    }
    case "tokens":
      return sumOf(knownOf(numbers.input_tokens, members)) + sumOf(knownOf(numbers.output_tokens, members));
    case "ttft_p50":
      return percentileOf(numbers.time_to_first_token_ms, 0.5);
    case "ttft_p95":
      return percentileOf(numbers.time_to_first_token_ms, 0.95);
    default:
      return top satisfies never;
  }
}
