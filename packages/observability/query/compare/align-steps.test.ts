import { expect, test } from "vitest";
import { randomOf } from "@sightline/foundation/testing/random";
import { alignSteps, type AlignableStep, type Aligned } from "./align-steps.ts";

test("steps are looked for below the same parents only", () => {
  const a = stepsOf("plan(search answer) act(search)");
  const b = stepsOf("plan(answer) act(search search) search");
  expect(inWords(alignSteps(a, b))).toEqual([
    "plan | plan",
    "  search |",
    "  answer | answer",
    "act | act",
    "  search | search",
    "  | search",
    "| search",
  ]);
});

test("what only one run has stands where it ran, with everything below it", () => {
  const a = stepsOf("plan retry(model(call)) act");
  expect(inWords(alignSteps(a, stepsOf("plan act")))).toEqual(["plan | plan", "retry |", "  model |", "    call |", "act | act"]);
  expect(inWords(alignSteps(stepsOf("plan act"), a))).toEqual(["plan | plan", "| retry", "  | model", "    | call", "act | act"]);
});

test("a run is equal to itself throughout, whatever its shape", () => {
  for (const [run] of randomRuns()) {
    const rows = alignSteps(run, run);
    expect(rows).toHaveLength(run.length);
    expect(rows.every(({ a, b, isMoved }) => a === b && !isMoved)).toBe(true);
  }
});

test("swapping the runs swaps the sides", () => {
  for (const [left, right] of randomRuns()) {
    const pairs = (rows: readonly Aligned<AlignableStep>[], swap: boolean) =>
      rows.map(({ a, b, depth, isMoved }) => [...(swap ? [b?.id, a?.id] : [a?.id, b?.id]), depth, isMoved].join(" ")).toSorted();
    expect(pairs(alignSteps(right, left), true)).toEqual(pairs(alignSteps(left, right), false));
  }
});

test("every step of both runs is there once, and beside it one of its kind and name whose parent is beside its parent", () => {
  for (const [left, right] of randomRuns()) {
    const rows = alignSteps(left, right);
    expect(rows.flatMap(({ a }) => (a === undefined ? [] : [a.id])).toSorted()).toEqual(left.map(({ id }) => id).toSorted());
    expect(rows.flatMap(({ b }) => (b === undefined ? [] : [b.id])).toSorted()).toEqual(right.map(({ id }) => id).toSorted());
    const besides = new Map(rows.map(({ a, b }) => [a?.id, b?.id]));
    const pairs = rows.flatMap(({ a, b }) => (a === undefined || b === undefined ? [] : [{ a, b }]));
    for (const { a, b } of pairs) {
      expect(a.name).toBe(b.name);
      expect(a.parent_id === null ? null : besides.get(a.parent_id)).toBe(b.parent_id);
    }
  }
});

test("twenty thousand steps below each other, and as many beside each other, are aligned without a deep stack", () => {
  const chain = (run: string) =>
    Array.from({ length: 20_000 }, (_, index) => stepOf(`${run}${index}`, index === 0 ? null : `${run}${index - 1}`, "inner"));
  const rows = alignSteps(chain("a"), chain("b"));
  expect(rows).toHaveLength(20_000);
  expect(rows.at(-1)?.depth).toBe(19_999);
  const flat = (run: string, shift: number) =>
    Array.from({ length: 20_000 }, (_, index) => stepOf(`${run}${index}`, null, `step ${index + shift}`));
  expect(alignSteps(flat("a", 0), flat("b", 3))).toHaveLength(20_003);
});

test("parents that are missing or lead in a circle leave no step out", () => {
  const odd = [stepOf("1", "2", "x"), stepOf("2", "1", "y"), stepOf("3", "gone", "z")];
  expect(inWords(alignSteps(odd, odd))).toEqual(["z | z", "x | x", "  y | y"]);
});

function stepOf(id: string, parent_id: string | null, name: string): AlignableStep {
  return { id, parent_id, kind: "node", name, content: "" };
}

let made = 0;

/** `plan(search answer) act`: steps, and in brackets those below. */
function stepsOf(text: string): readonly AlignableStep[] {
  made += 1;
  const steps: AlignableStep[] = [];
  const above: (string | null)[] = [];
  let last: string | null = null;
  for (const [part] of text.matchAll(/\w+|[()]/g)) {
    if (part === "(") {
      above.push(last);
    } else if (part === ")") {
      last = above.pop() ?? null;
    } else {
      last = `${made}.${steps.length}`;
      steps.push(stepOf(last, above.at(-1) ?? null, part));
    }
  }
  return steps;
}

function inWords(rows: readonly Aligned<AlignableStep>[]): readonly string[] {
  return rows.map(({ a, b, depth }) => `${"  ".repeat(depth)}${[a?.name ?? "", b?.name ?? ""].join(" | ").trim()}`);
}

function randomRuns(): readonly (readonly [readonly AlignableStep[], readonly AlignableStep[]])[] {
  return Array.from({ length: 150 }, (_, seed) => {
    const random = randomOf(seed);
    const draw = (run: string): readonly AlignableStep[] =>
      Array.from({ length: Math.floor(random() * 20) }, (_step, index) => ({
        ...stepOf(
          `${run}${index}`,
          index === 0 || random() < 0.3 ? null : `${run}${Math.floor(random() * index)}`,
          "abc"[Math.floor(random() * 3)] ?? "a",
        ),
        content: String(Math.floor(random() * 3)),
      }));
    return [draw("a"), draw("b")] as const;
  });
}
