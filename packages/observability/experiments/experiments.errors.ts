import { refusal } from "@sightline/foundation/errors";

export const experimentNotFound = () =>
  refusal(404, "experiment_not_found", "The project has no such experiment; its list of experiments names them.");

export const itemsUnknown = (ids: readonly string[]) =>
  refusal(
    400,
    "item_unknown",
    `The version of the dataset that this experiment runs has no item ${ids.slice(0, 3).join(", ")}${ids.length > 3 ? ` (and ${ids.length - 3} more)` : ""}. Nothing was written.`,
  );

export const repetitionUnknown = (repetitions: number) =>
  refusal(400, "repetition_unknown", `This experiment has ${repetitions} repetitions, counted from 0. Nothing was written.`);

export const outputTooLong = (id: string, most: number) =>
  refusal(
    400,
    "output_too_long",
    `The output of item ${id} is longer than ${most} characters of JSON. Nothing was written: report it as failed.`,
  );

export const notFinished = (state: string) =>
  refusal(409, "experiment_not_finished", `The experiment is ${state}; scores are added to one that is finished.`);

export const evaluatorDiffers = (name: string, version: string) =>
  refusal(
    409,
    "evaluator_differs",
    `The experiment has scores of ${name}, version ${version}, and one name has one version: give the new evaluator a name of its own.`,
  );

export const tooManyEvaluators = (most: number) =>
  refusal(400, "too_many_evaluators", `An experiment has at most ${most} evaluators. Nothing was written.`);

export const runUnknown = (id: string) =>
  refusal(400, "run_unknown", `The experiment has no such run of item ${id} that ended, or a newer attempt of it. Nothing was written.`);
