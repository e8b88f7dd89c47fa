import type { ComparedSetStep, SetComparison, TraceSet } from "#contract.ts";
import { compareEstimates, FEW_FOR_P95, meanOf, percentileOf, shareOf } from "./estimate.ts";
import { MAX_SET_TRACES, type SetStepRow, type TraceSetRows } from "./trace-sets.store.ts";

const MAX_STEPS = 200;

/** What two sets of traces came to, and what of it is more than chance. */
export function compareSets(a: TraceSetRows, b: TraceSetRows): Omit<SetComparison, "from"> {
  return {
    a: presentSet(a),
    b: presentSet(b),
    failure_rate: compareEstimates(shareOf(a.set.failures, a.set.ended), shareOf(b.set.failures, b.set.ended)),
    p50_ms: compareEstimates(percentileOf(a.set.p50_ms, a.set.timed), percentileOf(b.set.p50_ms, b.set.timed)),
    p95_ms: compareEstimates(percentileOf(a.set.p95_ms, a.set.timed), percentileOf(b.set.p95_ms, b.set.timed), FEW_FOR_P95),
    cost: compareEstimates(meanOf(a.set.cost), meanOf(b.set.cost)),
    tokens: compareEstimates(meanOf(a.set.tokens), meanOf(b.set.tokens)),
    steps: compareSteps(a, b),
    is_counting: !a.isCounted || !b.isCounted,
  };
}

function presentSet({ set, traces_of_steps }: TraceSetRows): TraceSet {
  const traces = Math.min(set.traces, MAX_SET_TRACES);
  return { traces, is_cut: set.traces > MAX_SET_TRACES, ended: set.ended, failures: set.failures, traces_of_steps };
}

function compareSteps(a: TraceSetRows, b: TraceSetRows): ComparedSetStep[] {
  const keyOf = ({ kind, name }: SetStepRow) => JSON.stringify([kind, name]);
  const [ofA, ofB] = [new Map(a.steps.map((step) => [keyOf(step), step])), new Map(b.steps.map((step) => [keyOf(step), step]))];
  const all = new Map([...ofA, ...ofB]);
  const steps = Array.from(all, ([key, { kind, name }]): ComparedSetStep => {
    const [inA, inB] = [ofA.get(key), ofB.get(key)];
    return {
      kind,
      name,
      a: inA?.count ?? 0,
      b: inB?.count ?? 0,
      share: compareEstimates(shareOf(inA?.traces ?? 0, a.traces_of_steps), shareOf(inB?.traces ?? 0, b.traces_of_steps)),
      failure_rate: compareEstimates(shareOf(inA?.failures ?? 0, inA?.ended ?? 0), shareOf(inB?.failures ?? 0, inB?.ended ?? 0)),
      p95_ms: compareEstimates(
        percentileOf(inA?.p95_ms ?? null, inA?.timed ?? 0),
        percentileOf(inB?.p95_ms ?? null, inB?.timed ?? 0),
        FEW_FOR_P95,
      ),
    };
  });
  return steps
    .toSorted((left, right) => Number(hasChanged(right)) - Number(hasChanged(left)) || right.a + right.b - left.a - left.b)
    .slice(0, MAX_STEPS);
}

function hasChanged({ share, failure_rate, p95_ms }: ComparedSetStep): boolean {
  return [share, failure_rate, p95_ms].some(({ verdict }) => verdict === "higher" || verdict === "lower");
}
