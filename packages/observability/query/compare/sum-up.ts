import type { Comparison, TakenEdge } from "#contract.ts";
import type { GraphEntry } from "#query/steps/graph-runs.ts";
import { graphRunsOf } from "#query/graph/present-graph.ts";
import { findTakenEdges } from "#query/graph/taken-edges.ts";
import type { LoadedRun, LoadedStep } from "./load-run.ts";

type Sums = Comparison["models"][number]["a"];
type BySide<Key> = Key & { readonly a: Sums; readonly b: Sums };
type Sides = { readonly a: readonly LoadedStep[]; readonly b: readonly LoadedStep[] };

/** Steps of one kind and name: how often, how long, for how much. Those that differ most in number come first, then in time. */
export function sumUpNames({ a, b }: Sides): Comparison["names"] {
  return sumUp({ a, b }, ({ kind, name }) => ({ kind, name })).toSorted(byDifference);
}

/** Steps that called a model, by model. */
export function sumUpModels({ a, b }: Sides): Comparison["models"] {
  const calls = (steps: readonly LoadedStep[]) => steps.filter(({ shown }) => shown.model !== null);
  return sumUp({ a: calls(a), b: calls(b) }, ({ shown }) => ({ model: shown.model ?? "" })).toSorted(byDifference);
}

function sumUp<Key extends object>({ a, b }: Sides, keyOf: (step: LoadedStep) => Key): BySide<Key>[] {
  const keys = new Map([...a, ...b].map((step) => [JSON.stringify(keyOf(step)), keyOf(step)]));
  const [ofA, ofB] = [a, b].map((steps) => Map.groupBy(steps, (step) => JSON.stringify(keyOf(step))));
  return Array.from(keys, ([text, key]) => ({ ...key, a: sumsOf(ofA?.get(text) ?? []), b: sumsOf(ofB?.get(text) ?? []) }));
}

function sumsOf(steps: readonly LoadedStep[]): Sums {
  return {
    steps: steps.length,
    failures: steps.filter(({ shown }) => shown.status === "failure").length,
    duration_ms: sum(steps, "duration_ms"),
    input_tokens: sum(steps, "input_tokens"),
    output_tokens: sum(steps, "output_tokens"),
    cost: sum(steps, "cost"),
  };
}

/** Null when no step says; a producer may count nonsense, and no number holds more. */
function sum(steps: readonly LoadedStep[], of: "duration_ms" | "input_tokens" | "output_tokens" | "cost"): number | null {
  const known = steps.flatMap(({ shown }) => shown[of] ?? []);
  return known.length === 0
    ? null
    : Math.min(
        known.reduce((total, value) => total + value, 0),
        Number.MAX_SAFE_INTEGER,
      );
}

function byDifference(left: BySide<object>, right: BySide<object>): number {
  const [count, time] = [left, right].map(({ a, b }) => [
    Math.abs(a.steps - b.steps),
    Math.abs((a.duration_ms ?? 0) - (b.duration_ms ?? 0)),
  ]) as [[number, number], [number, number]];
  return time[0] - count[0] || time[1] - count[1];
}

type Side = { readonly run: LoadedRun; readonly entries: readonly GraphEntry[] };

/** The edges that each run went, and how often; null when neither ran a graph. */
export function compareEdges(a: Side, b: Side): Comparison["edges"] {
  const [edgesA, edgesB] = [edgesOf(a), edgesOf(b)];
  if (edgesA === null && edgesB === null) {
    return null;
  }
  const [ofA, ofB] = [edgesA, edgesB].map((edges) => new Map((edges ?? []).map((edge) => [edgeKeyOf(edge), edge])));
  const all = new Map([...(ofA ?? []), ...(ofB ?? [])]);
  return Array.from(all, ([key, { from, to, via }]) => ({
    from,
    to,
    via,
    a: ofA?.get(key)?.count ?? 0,
    b: ofB?.get(key)?.count ?? 0,
  })).toSorted((left, right) => Math.abs(right.a - right.b) - Math.abs(left.a - left.b));
}

function edgesOf({ run: { trace, rows }, entries }: Side): readonly TakenEdge[] | null {
  const runs = graphRunsOf(trace, rows, entries);
  return runs.length === 0 ? null : findTakenEdges(runs);
}

function edgeKeyOf({ from, to, via }: TakenEdge): string {
  return JSON.stringify([from, to, via]);
}
