import type { Traces } from "#query/columns/chosen-traces.ts";
import { addTokens, statusByte, unpackReals } from "#query/columns/hour-columns.ts";
import { readTraces } from "#query/columns/read-traces.ts";
import type { ListTerm } from "#query/conditions/conditions.ts";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { readSetSteps, type SetStepRow } from "./set-steps.store.ts";

type TraceSetQuery = InProject & { readonly terms: readonly ListTerm[]; readonly from: Date; readonly now: Date };

export type SetStep = Omit<SetStepRow, "durations"> & { /** Ascending, of those that succeeded. */ readonly durations: Float64Array };

/** Numbers of traces that succeeded are those of one that has such a number; durations ascend. */
export type TraceSet = {
  readonly traces: number;
  readonly isCut: boolean;
  readonly ended: number;
  readonly failures: number;
  readonly durations: Float64Array;
  readonly costs: Float64Array;
  readonly tokens: Float64Array;
  readonly tracesOfSteps: number;
  readonly steps: readonly SetStep[];
  readonly isCounted: boolean;
};

/** More than that are cut to the newest. */
const MAX_TRACES = 100_000;
/** A trace's clock may be ahead. */
const NO_END = new Date("9999-01-01T00:00:00Z");

/** @throws a database's error with the code `57014` when it takes too long. */
export async function readTraceSet(query: Query, wanted: TraceSetQuery): Promise<TraceSet> {
  const traces = await readTraces(query, { ...wanted, to: NO_END, limit: MAX_TRACES });
  const { looked_at: tracesOfSteps, steps } = await readSetSteps(query, { ...wanted, isCounted: traces.isCounted });
  const { numbers } = traces;
  return {
    traces: traces.count,
    isCut: traces.isCut,
    ended: traces.count - numberOf(traces, "running"),
    failures: numberOf(traces, "failure"),
    durations: ofSuccess(traces, (trace) => numbers.duration_ms[trace]).toSorted(),
    costs: ofSuccess(traces, (trace) => numbers.cost[trace]),
    tokens: ofSuccess(traces, (trace) => addTokens(numbers.input_tokens[trace] ?? Number.NaN, numbers.output_tokens[trace] ?? Number.NaN)),
    tracesOfSteps,
    steps: steps.map(({ durations, ...step }) => ({ ...step, durations: unpackReals(durations ?? new Uint8Array()).toSorted() })),
    isCounted: traces.isCounted,
  };
}

function numberOf({ statuses }: Traces, status: "running" | "failure"): number {
  const byte = statusByte(status);
  return statuses.reduce((count, own) => count + (own === byte ? 1 : 0), 0);
}

/** A number of each trace that succeeded and has one. */
function ofSuccess({ statuses, count }: Traces, read: (trace: number) => number | undefined): Float64Array {
  const success = statusByte("success");
  const known = new Float64Array(count);
  let length = 0;
  statuses.forEach((status, trace) => {
    const number = status === success ? (read(trace) ?? Number.NaN) : Number.NaN;
    if (!Number.isNaN(number)) {
      known[length] = number;
      length += 1;
    }
  });
  return known.subarray(0, length);
}
