import { createHash } from "node:crypto";
import { EvaluationError } from "./evaluation-error.ts";
import { errorText, shortText } from "./json-value.ts";
import { within } from "./within.ts";
import type { TraceReference } from "../capture/score.ts";
import { kindOf, numberOf, textOf } from "../settings/text-of.ts";

/** What an evaluator is given: also by the names that `openevals` and `agentevals` have. */
export type EvaluatorValues = {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly expected?: unknown;
  readonly metadata?: unknown;
  readonly trace?: TraceReference | undefined;
  readonly inputs?: unknown;
  readonly outputs?: unknown;
  readonly referenceOutputs?: unknown;
};

/** Gives a number, a yes or no, or an object with `score` or `value`. A method's type, so that it may ask for narrower values. */
export type Evaluator = { score(values: EvaluatorValues): unknown }["score"];

export type NamedEvaluator = {
  readonly function: Evaluator;
  readonly name: string;
  readonly version: string;
  readonly higherIsBetter: boolean;
};

export type RunScore = {
  readonly name: string;
  readonly evaluator_version: string;
  readonly value: number | boolean | null;
  readonly explanation?: string | null;
  readonly error?: string;
};

const MAX_LENGTH = 200;
const MAX_ERROR_LENGTH = 1000;

/** @throws EvaluationError where one has no name, or the name of another */
export function readEvaluators(given: readonly Evaluator[] | Readonly<Record<string, Evaluator>>): readonly NamedEvaluator[] {
  const named = Array.isArray(given)
    ? given.map((each: Evaluator) => [each.name, each] as const)
    : Object.entries(given as Readonly<Record<string, Evaluator>>);
  const evaluators = named.map(([name, each]) => readEvaluator(name, each));
  const names = evaluators.map(({ name }) => name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) {
    throw new EvaluationError(`Two evaluators are called ${twin}; name them: evaluators: { one: …, other: … }.`);
  }
  return evaluators;
}

function readEvaluator(name: string, given: Evaluator): NamedEvaluator {
  if (typeof given !== "function" || name.trim() === "") {
    throw new EvaluationError("Each evaluator must be a function with a name; name it: evaluators: { name: … }.");
  }
  const version = textOf(Reflect.get(given, "version"));
  // What a function holds from around it can't be read here: where that changes what it scores, its `version` says so.
  const hash = () => createHash("sha256").update(String(given)).digest("hex").slice(0, 12);
  return {
    function: given,
    name: name.trim().slice(0, MAX_LENGTH),
    version: version?.slice(0, MAX_LENGTH) ?? hash(),
    higherIsBetter: Reflect.get(given, "higherIsBetter") !== false,
  };
}

/** As an experiment keeps it. */
export function describeEvaluator({ name, version, higherIsBetter }: NamedEvaluator) {
  return { name, version, higher_is_better: higherIsBetter };
}

/** Its score as it is reported; missing, with the reason, where it has none. Never throws. */
export async function scoreRun(evaluator: NamedEvaluator, values: EvaluatorValues, seconds: number): Promise<RunScore> {
  const score = { name: evaluator.name, evaluator_version: evaluator.version };
  try {
    const { input, output, expected } = values;
    const given = { ...values, inputs: input, outputs: output, referenceOutputs: expected };
    return { ...score, ...readScore(await within(seconds, () => evaluator.function(given))) };
  } catch (error) {
    return { ...score, value: null, error: errorText(error).slice(0, MAX_ERROR_LENGTH) };
  }
}

/** @throws TypeError for what is no score, or several */
export function readScore(gave: unknown): { readonly value: number | boolean; readonly explanation: string | null } {
  const given: unknown = Array.isArray(gave) && gave.length === 1 ? gave[0] : gave;
  if (Array.isArray(given)) {
    throw new TypeError(`it gave ${given.length} scores; one that gives several is to be told how to make one of them`);
  }
  const held = typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : { value: given };
  const value = held["score"] ?? held["value"];
  const number = typeof value === "boolean" ? value : typeof value === "string" ? undefined : numberOf(value);
  if (number === undefined) {
    throw new TypeError(`it gave ${typeof value === "string" ? "a text" : kindOf(value)}; a score is a number, or true or false`);
  }
  const metadata = held["metadata"];
  const rationale: unknown = typeof metadata === "object" && metadata !== null ? Reflect.get(metadata, "rationale") : undefined;
  const explanation = held["comment"] ?? held["explanation"] ?? rationale ?? null;
  return { value: number, explanation: explanation === null ? null : shortText(explanation) };
}
