import type { Comparison } from "#contract.ts";
import type { LoadedStep } from "./load-run.ts";

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
