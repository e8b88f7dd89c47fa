import { EvaluationError } from "./evaluation-error.ts";
import type { Evaluator } from "./evaluators.ts";

/** Seconds. */
export const TIMEOUT = 300;
export const CONCURRENCY = 8;

/** How runs are scored, compared and told. */
export type ScoringPlan = {
  /** Functions, called by their names; or names with functions. */
  readonly evaluators?: readonly Evaluator[] | Readonly<Record<string, Evaluator>>;
  /** Runs at once; default 8. */
  readonly concurrency?: number;
  /** A branch, of whose experiments the newest are taken together, or an experiment's id. */
  readonly baseline?: string;
  /** The difference that matters; the platform's, 0.1, by default. */
  readonly margin?: number;
  /** Seconds that a run, and each evaluator, may take; default 300. */
  readonly timeout?: number;
  /** Default `OBS_API_URL`. */
  readonly apiUrl?: string;
  /** Default `OBS_API_KEY`. */
  readonly apiKey?: string;
  /** Default the publisher's project, then `OBS_PROJECT_ID`. */
  readonly projectId?: string;
  /** Default the publisher's, then `OBS_CONSOLE_URL`. */
  readonly consoleUrl?: string;
};

/** What is evaluated, and how. */
export type EvaluationPlan<Input = unknown> = ScoringPlan & {
  /** Called with an item's input; what it throws is a failed run. */
  readonly task?: (input: Input) => unknown;
  /** In place of a task: outputs that exist, by their items' ids. An item without one is a missing run. */
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** Its name or its id. */
  readonly dataset: string;
  /** From 1 to 100; default 1. */
  readonly repetitions?: number;
  /** Of the experiment; the task's name by default. */
  readonly name?: string;
  /** What the task was set up with, such as its model and prompt. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly split?: string;
  readonly maxRuns?: number;
  /** Dollars, after which no run begins. */
  readonly maxCost?: number;
  /** Goes on with an experiment that did not end, by its id; `true`: with the newest of the dataset at this commit. */
  readonly resume?: string | true;
  /** Cancels it; what ended is reported. */
  readonly signal?: AbortSignal;
};

/** An experiment that is scored once more. */
export type ExperimentPlan = ScoringPlan & {
  /** Its id; it has to be finished. */
  readonly experiment: string;
  readonly evaluators: NonNullable<ScoringPlan["evaluators"]>;
};

/** @throws EvaluationError for what no evaluation can be made of */
export function checkPlan(plan: EvaluationPlan<never>): void {
  const { task, outputs } = plan;
  if ((task === undefined) === (outputs === undefined) || (task !== undefined && typeof task !== "function")) {
    throw new EvaluationError("The task must be a function of the item's input; or give outputs that exist, by their items' ids.");
  }
  if (outputs !== undefined && (plan.repetitions ?? 1) !== 1) {
    throw new EvaluationError("Outputs that exist are one for each item: leave repetitions at 1.");
  }
  checkNumbers(plan);
}

export function checkNumbers(plan: ScoringPlan & Pick<EvaluationPlan, "repetitions" | "maxRuns" | "maxCost">): void {
  const counts = [
    ["repetitions", plan.repetitions ?? 1, 100],
    ["concurrency", plan.concurrency ?? CONCURRENCY, 1000],
    ["maxRuns", plan.maxRuns ?? 1, 1e9],
  ] as const;
  for (const [name, value, maximum] of counts) {
    if (!Number.isInteger(value) || value < 1 || value > maximum) {
      throw new EvaluationError(`${name} must be a whole number from 1 to ${maximum}.`);
    }
  }
  const amounts = [
    ["timeout", plan.timeout ?? TIMEOUT, "seconds"],
    ["maxCost", plan.maxCost ?? 1, "dollars"],
  ] as const;
  for (const [name, value, unit] of amounts) {
    if (!(value > 0)) {
      throw new EvaluationError(`${name} must be ${unit} above 0.`);
    }
  }
}

/** Of the function, by which its traces are called. */
export function taskName({ task }: Pick<EvaluationPlan<never>, "task">): string {
  return (task === undefined ? "outputs" : task.name || "task").slice(0, 200);
}
