import { refusal } from "@sightline/foundation/errors";
import { MAX_EVALUATORS_OF_PROJECT, MAX_RULES_OF_EVALUATOR } from "#contract.ts";

export const evaluatorNotFound = () =>
  refusal(404, "evaluator_not_found", "The project has no such evaluator; GET …/evaluators lists those it has.");
export const ruleNotFound = () =>
  refusal(404, "judge_rule_not_found", "The evaluator has no such rule; GET …/evaluators/:evaluator_id lists those it has.");
export const evaluatorNotMade = (name: string) =>
  refusal(
    409,
    "evaluator_not_made",
    `The project has an evaluator called ${name}, or ${MAX_EVALUATORS_OF_PROJECT} evaluators, which is the most. Choose another name, give that one a new version, or delete some.`,
  );
export const tooManyRules = () =>
  refusal(
    409,
    "too_many_judge_rules",
    `An evaluator has at most ${MAX_RULES_OF_EVALUATOR} rules. Make up for one that there is, or make another evaluator.`,
  );
export const modelWithoutPrice = (model: string) =>
  refusal(
    400,
    "model_without_price",
    `${model} has no price, so nothing can be held to a budget. Give it one in the project's prices, or budget null.`,
    { details: [{ path: "budget", message: "a model without a price can have no budget" }] },
  );
export const pairNeeded = () =>
  refusal(
    400,
    "pair_needed",
    "A preference is of two experiments: name a finished one and its baseline_id. Evaluators of other outputs take no baseline.",
  );
export const checksCostNothing = () =>
  refusal(400, "checks_cost_nothing", "Checks ask no model and cost nothing, so they have no budget; give budget null.", {
    details: [{ path: "budget", message: "checks have no budget" }],
  });
export const otherKind = () =>
  refusal(400, "other_kind_of_evaluator", "Checks stay checks, and a judge stays a judge; make another evaluator of another name.");
export const experimentNotFinished = () =>
  refusal(409, "experiment_not_finished", "The experiment still runs. Finish it first; then its runs are judged.");
export const nothingFound = () =>
  refusal(404, "nothing_to_judge", "The query finds no traces that have ended, or the experiment has no runs.");
