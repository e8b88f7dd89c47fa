import type { ComparedSetStep, SetComparison, TraceSet as Told } from "#contract.ts";
import { compareMeans, comparePercentiles, compareShares, OF_MANY } from "./estimate.ts";
import type { SetStep, TraceSet } from "./read-trace-set.ts";

const MAX_STEPS = 200;
const NONE = new Float64Array();

/** What two sets of traces came to, and what of it is more than chance. */
export function compareSets(a: TraceSet, b: TraceSet): Omit<SetComparison, "from"> {
  return {
    a: presentSet(a),
    b: presentSet(b),
    failure_rate: compareShares({ count: a.failures, of: a.ended }, { count: b.failures, of: b.ended }),
    p50_ms: comparePercentiles(a.durations, b.durations, 0.5),
    p95_ms: comparePercentiles(a.durations, b.durations, 0.95),
    cost: compareMeans(a.costs, b.costs),
    tokens: compareMeans(a.tokens, b.tokens),
    steps: compareSteps(a, b),
    is_counting: !a.isCounted || !b.isCounted,
  };
}

function presentSet({ traces, isCut, ended, failures, tracesOfSteps }: TraceSet): Told {
  return { traces, is_cut: isCut, ended, failures, traces_of_steps: tracesOfSteps };
}

function compareSteps(a: TraceSet, b: TraceSet): ComparedSetStep[] {
  const keyOf = ({ kind, name }: SetStep) => JSON.stringify([kind, name]);
  const [ofA, ofB] = [new Map(a.steps.map((step) => [keyOf(step), step])), new Map(b.steps.map((step) => [keyOf(step), step]))];
  const all = new Map([...ofA, ...ofB]);
  const steps = Array.from(all, ([key, { kind, name }]): ComparedSetStep => {
    const [inA, inB] = [ofA.get(key), ofB.get(key)];
    return {
      kind,
      name,
      a: inA?.count ?? 0,
      b: inB?.count ?? 0,
      share: compareShares({ count: inA?.traces ?? 0, of: a.tracesOfSteps }, { count: inB?.traces ?? 0, of: b.tracesOfSteps }, OF_MANY),
      failure_rate: compareShares(
        { count: inA?.failures ?? 0, of: inA?.ended ?? 0 },
        { count: inB?.failures ?? 0, of: inB?.ended ?? 0 },
        OF_MANY,
      ),
      p95_ms: comparePercentiles(inA?.durations ?? NONE, inB?.durations ?? NONE, 0.95, OF_MANY),
    };
  });
  return steps
    .toSorted((left, right) => Number(hasChanged(right)) - Number(hasChanged(left)) || right.a + right.b - left.a - left.b)
    .slice(0, MAX_STEPS);
}

function hasChanged({ share, failure_rate, p95_ms }: ComparedSetStep): boolean {
  return [share, failure_rate, p95_ms].some(({ verdict }) => verdict === "higher" || verdict === "lower");
}
