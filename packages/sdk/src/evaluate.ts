/** Experiments: a task over the items of a dataset, scored where the application runs. Only for Node. */
export { evaluate } from "./evaluate/run-experiment.ts";
export { evaluateExperiment } from "./evaluate/score-experiment.ts";
export { EvaluationError, RefusedError } from "./evaluate/evaluation-error.ts";
export type { Evaluator, EvaluatorValues } from "./evaluate/evaluators.ts";
export type { EvaluationPlan, ExperimentPlan } from "./evaluate/plan.ts";
export type { EvaluationResult } from "./evaluate/result.ts";
