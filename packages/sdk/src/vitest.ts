/** Items of a dataset as tests of Vitest. */
import { afterAll, describe, test } from "vitest";
import { findFault, listItemTests } from "./evaluate/item-tests.ts";
import { type EvaluationPlan, taskName } from "./evaluate/plan.ts";
import type { EvaluationResult } from "./evaluate/result.ts";
import { runEvaluation } from "./evaluate/run-experiment.ts";

/**
 * Makes each item of the dataset a test, and each repetition: all that are chosen run as one experiment. One that fails a required item
 * fails; of the others it is skipped with the reason, as the gate decides about them.
 *
 * @example
 * await describeDataset({ task: agent, dataset: "refunds", evaluators: [exact], repetitions: 3, baseline: "main" });
 * @throws EvaluationError where the items can't be read
 */
export async function describeDataset<Input = unknown>(plan: EvaluationPlan<Input>): Promise<void> {
  const tests = await listItemTests(plan);
  describe(`${plan.name ?? taskName(plan)} over ${plan.dataset}`, () => {
    let running: Promise<EvaluationResult> | undefined;
    for (const { title, itemId, repetition, isRequired } of tests) {
      // The evaluation's own time-outs hold for each run.
      // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- Title and verdict are those of the item's run.
      test(title, { timeout: 0 }, async ({ task, skip }) => {
        const chosen = new Set(task.suite?.tasks.flatMap(({ mode, name }) => (mode === "run" || mode === "queued" ? [name] : [])));
        const keys = new Set(tests.flatMap((each) => (chosen.has(each.title) ? [`${each.itemId} ${each.repetition}`] : [])));
        running ??= runEvaluation(plan, (turn) => keys.has(`${turn.item.id} ${turn.repetition}`));
        const { experiment, runs } = await running;
        const run = runs.find((each) => each.item_id === itemId && each.repetition === repetition);
        const fault = findFault(run, isRequired, experiment.evaluators);
        if (fault !== undefined && isRequired) {
          throw new Error(`a required item failed: ${fault}`);
        }
        skip(fault !== undefined, `left to the gate: ${fault ?? ""}`);
      });
    }
    afterAll(async () => {
      const result = await running?.catch(() => undefined);
      process.stdout.write(result === undefined ? "" : `${String(result)}\n`);
    });
  });
}
