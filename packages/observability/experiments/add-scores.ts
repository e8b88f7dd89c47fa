import { orRefuse } from "@sightline/foundation/errors";
import { type AddScoresRequest, type Evaluator, MAX_EVALUATORS } from "#contract.ts";
import { lockItems } from "#datasets/items.store.ts";
import { maskByRules } from "#datasets/mask-by-rules.ts";
import type { Query } from "#schema.ts";
import { evaluatorDiffers, experimentNotFound, notFinished, runUnknown, tooManyEvaluators } from "./experiments.errors.ts";
import { findExperiment, setEvaluators } from "./experiments.store.ts";
import { keepMeans } from "./keep-means.ts";
import { maskScores, withFailures, withoutWords } from "./report-runs.ts";
import { addToScores, findDeletedTraces, listRuns, lockExperiment, type OfExperiment } from "./runs.store.ts";

/** Of the items of one request. */
const MAX_RUNS = 10_000;

/**
 * Scores runs of a finished experiment once more: a score that has a value stays as it is, one that is missing is filled.
 *
 * @throws {AppError} 409 while it is not finished, and for another version of an evaluator; 400 when there is no such run.
 */
export async function addScores(
  query: Query,
  of: OfExperiment,
  { evaluators, runs }: AddScoresRequest,
): Promise<{ readonly written: number; readonly known: number }> {
  const masked = await maskByRules(query, of.projectId, runs, (run, { text }) => ({ ...run, scores: maskScores(run.scores, text) }));
  const told = await query.transaction().execute(async (transaction) => {
    await lockExperiment(transaction, of);
    const experiment = orRefuse(await findExperiment(transaction, { ...of, id: of.experimentId }), experimentNotFound);
    if (experiment.state !== "finished") {
      throw notFinished(experiment.state);
    }
    const { dataset_id: datasetId, dataset_version: version, split } = experiment;
    const ids = [...new Set(runs.map(({ item_id: id }) => id))];
    const items = await lockItems(transaction, { ...of, datasetId, version, split, ids });
    const redacted = new Set(items.flatMap((item) => (item.redacted_at === null ? [] : [item.item_id])));
    const ended = await listRuns(transaction, { ...of, itemIds: ids, after: undefined, limit: MAX_RUNS });
    const traces = ended.flatMap(({ trace_id: id }) => id ?? []);
    const gone = await findDeletedTraces(transaction, of.projectId, traces);
    const scored = masked.map((run) => {
      const found = ended.find((each) => keyOf(each) === keyOf(run));
      if (found === undefined || found.state === "missing") {
        throw runUnknown(run.item_id);
      }
      const isDeleted = redacted.has(run.item_id) || gone.has(found.trace_id ?? "");
      return withFailures({ ...run, state: found.state, scores: isDeleted ? withoutWords(run.scores) : run.scores }, { evaluators });
    });
    await setEvaluators(transaction, { ...of, id: of.experimentId, evaluators: joinEvaluators(experiment.evaluators, evaluators) });
    const written = await addToScores(transaction, of, scored);
    return { written, known: scored.reduce((sum, run) => sum + run.scores.length, 0) - written };
  });
  await keepMeans(query, of);
  return told;
}

function joinEvaluators(known: readonly Evaluator[], added: readonly Evaluator[]): Evaluator[] {
  const byName = new Map(known.map((each) => [each.name, each]));
  for (const each of added) {
    const same = byName.get(each.name) ?? each;
    if (same.version !== each.version || same.higher_is_better !== each.higher_is_better) {
      throw evaluatorDiffers(each.name, same.version);
    }
    byName.set(each.name, each);
  }
  if (byName.size > MAX_EVALUATORS) {
    throw tooManyEvaluators(MAX_EVALUATORS);
  }
  return [...byName.values()];
}

const keyOf = (run: { readonly item_id: string; readonly repetition: number; readonly attempt: number }) =>
  `${run.item_id} ${run.repetition} ${run.attempt}`;
