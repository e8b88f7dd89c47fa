import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { estimate, listTurns } from "./begin.ts";
import { readEvaluators, readScore } from "./evaluators.ts";
import { findFault } from "./item-tests.ts";
import { shortText, toJson } from "./json-value.ts";
import { type Comparison, type EndedRun, EvaluationResult, type Experiment } from "./result.ts";
import { isUnavailable, type Run } from "./run-item.ts";

type Reported = Pick<Run, "item_id" | "repetition" | "attempt" | "state">;
type Score = { readonly gave: unknown; readonly value?: number | boolean; readonly explanation?: string | null; readonly refused?: string };
type Vectors = {
  readonly scores: readonly Score[];
  readonly evaluators: readonly {
    readonly name: string;
    readonly version: unknown;
    readonly higher_is_better: boolean;
    readonly described: { readonly name: string; readonly version: string; readonly higher_is_better: boolean };
  }[];
  readonly texts: readonly { readonly given: string; readonly short: string }[];
  readonly outputs: readonly { readonly given: unknown; readonly json: unknown }[];
  readonly turns: readonly {
    readonly name: string;
    readonly items: readonly string[];
    readonly repetitions: number;
    readonly runs: readonly Reported[];
    readonly turns: readonly (readonly [string, number, number])[];
  }[];
  readonly unavailable: readonly { readonly error: object; readonly is: boolean }[];
  readonly faults: readonly {
    readonly name: string;
    readonly run: EndedRun | null;
    readonly required: boolean;
    readonly fault: string | null;
  }[];
  readonly estimates: readonly { readonly experiments: readonly Experiment[]; readonly runs: number; readonly told: string }[];
  readonly tables: readonly {
    readonly name: string;
    readonly experiment: Experiment;
    readonly comparison: Comparison;
    readonly lines: readonly string[];
  }[];
};
const file = new URL("../../../observability/events/evaluation-vectors.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vectors;

describe("evaluations do as those of the SDK for Python do", () => {
  test.each(vectors.scores.filter(({ refused }) => refused === undefined))("a score of $gave", ({ gave, value, explanation }) => {
    expect(readScore(gave)).toEqual({ value, explanation });
  });

  test.each(vectors.scores.filter(({ refused }) => refused !== undefined))("no score of $gave", ({ gave, refused = "" }) => {
    expect(() => readScore(gave)).toThrow(refused);
  });

  test.each(vectors.evaluators)("an evaluator $name", ({ name, version, higher_is_better: higherIsBetter, described }) => {
    const [found] = readEvaluators({ [name]: Object.assign(() => 1, { version, higherIsBetter }) });
    expect({ name: found?.name, version: found?.version, higher_is_better: found?.higherIsBetter }).toEqual(described);
  });

  test("values and texts", () => {
    expect(vectors.texts.map(({ given }) => shortText(given))).toEqual(vectors.texts.map(({ short }) => short));
    expect(vectors.outputs.map(({ given }) => toJson(given).json)).toEqual(vectors.outputs.map(({ json }) => json));
  });

  test.each(vectors.turns)("turns: $name", ({ items, repetitions, runs, turns }) => {
    const found = listTurns(
      repetitions,
      items.map((id) => ({ id, input: id })),
      runs,
    );
    expect(found.map(({ item, repetition, attempt }) => [item.id, repetition, attempt])).toEqual(turns);
  });

  test.each(vectors.unavailable)("a provider that says $error can't now: $is", ({ error, is }) => {
    expect(isUnavailable(error)).toBe(is);
  });

  test.each(vectors.faults)("faults: $name", ({ run, required, fault }) => {
    const evaluators = [
      { name: "exact", version: "1", higher_is_better: true },
      { name: "errors", version: "1", higher_is_better: false },
    ];
    expect(findFault(run ?? undefined, required, evaluators) ?? null).toBe(fault);
  });

  test("what it is likely to cost", () => {
    for (const { experiments, runs, told } of vectors.estimates) {
      expect(estimate(experiments, runs)).toBe(told);
    }
  });

  test.each(vectors.tables)("a table $name", ({ experiment, comparison, lines }) => {
    expect(String(new EvaluationResult(experiment, "http://c/e-1", [], comparison))).toBe(lines.join("\n"));
    const alone = new EvaluationResult(experiment, "http://c/e-1", [], undefined, "The platform compared nothing: why.");
    expect(String(alone).split("\n").slice(1)).toEqual(["The platform compared nothing: why.", "http://c/e-1"]);
  });
});
