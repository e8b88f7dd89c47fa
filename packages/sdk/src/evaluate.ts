/** Experiments: a task over the items of a dataset, scored where the application runs; and replays of recorded traces. Only for Node. */
export { evaluate } from "./evaluate/run-experiment.ts";
export { evaluateExperiment } from "./evaluate/score-experiment.ts";
export { EvaluationError, RefusedError } from "./evaluate/evaluation-error.ts";
export type { Evaluator, EvaluatorValues } from "./evaluate/evaluators.ts";
export type { EvaluationPlan, ExperimentPlan } from "./evaluate/plan.ts";
export type { EvaluationResult } from "./evaluate/result.ts";
export { RecordedError, ReplayRefusedError, ReplayStoppedError } from "./replay/errors.ts";
export { replay, type ReplayedAgent, type ReplayOptions, type ReplayResult } from "./replay/replay.ts";
export type { OnDivergence } from "./replay/session.ts";
