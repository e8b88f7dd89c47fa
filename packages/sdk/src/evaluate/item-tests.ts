import { findDataset, listItems } from "./begin.ts";
import { connect } from "./connect.ts";
import type { EvaluationPlan } from "./plan.ts";
import type { EndedRun, Experiment } from "./result.ts";

/** One item, one repetition, as a test of a test runner. */
export type ItemTest = { readonly title: string; readonly itemId: string; readonly repetition: number; readonly isRequired: boolean };

/** @throws EvaluationError where they can't be read */
export async function listItemTests(plan: EvaluationPlan<never>): Promise<readonly ItemTest[]> {
  const api = connect(plan);
  const dataset = await findDataset(api, plan.dataset);
  const items = await listItems(api, { ...dataset, split: plan.split ?? null });
  const repetitions = plan.repetitions ?? 1;
  return items.flatMap(({ id, required }) =>
    Array.from({ length: repetitions }, (_, repetition) => ({
      title: repetitions === 1 ? id : `${id} #${repetition + 1}`,
      itemId: id,
      repetition,
      isRequired: required === true,
    })),
  );
}

/** Why the run does not pass: for a required item by the rule of the gate. A boolean score decides only where the item has no checks. */
export function findFault(
  run: Pick<EndedRun, "state" | "error" | "scores"> | undefined,
  isRequired: boolean,
  evaluators: Experiment["evaluators"],
): string | undefined {
  if (run === undefined) {
    return "it was not run";
  }
  if (run.state !== "succeeded") {
    return run.error ?? `the run ${run.state === "failed" ? "failed" : "is missing"}`;
  }
  const higher = new Set(evaluators.flatMap((each) => (each.higher_is_better ? [each.name] : [])));
  const checks = run.scores.filter(({ source }) => source === "check");
  const deciding = checks.length > 0 ? checks : run.scores.filter((each) => each.is_boolean && higher.has(each.name));
  const bad = deciding.find(({ value }) => value === null || value < 1);
  if (bad !== undefined) {
    return `${bad.name}: ${bad.error ?? bad.explanation ?? bad.value}`;
  }
  return isRequired && deciding.length === 0
    ? "nothing judged it: a required item needs checks, or an evaluator that gives true or false"
    : undefined;
}
