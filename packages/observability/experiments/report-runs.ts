import { orRefuse } from "@sightline/foundation/errors";
import { evaluateChecks, needTrace } from "#checks/evaluate-checks.ts";
import type { Check, CheckResult, ReportedRun } from "#contract.ts";
import { lockItems } from "#datasets/items.store.ts";
import { maskByRules } from "#datasets/mask-by-rules.ts";
import { toJson } from "#datasets/to-json.ts";
import type { Masking } from "#events/masker.ts";
import type { Query } from "#schema.ts";
import { experimentNotFound, itemsUnknown, outputTooLong, repetitionUnknown } from "./experiments.errors.ts";
import { findExperiment, type ExperimentRow } from "./experiments.store.ts";
import { keepMeans } from "./keep-means.ts";
import { findDeletedTraces, insertRuns, lockExperiment, type OfExperiment } from "./runs.store.ts";

const MAX_OUTPUT_CHARACTERS = 1024 * 1024;

/** Writes with runs, before them, told whether their contents were deleted; false: they are not to be written. */
type Along = (transaction: Query, isDeleted: boolean) => Promise<boolean>;

/**
 * Takes runs: those that were reported before stay as they were. Checks of the output are evaluated at once, those of the way there when the trace has arrived.
 *
 * @throws {AppError} 400 when a run is of no item or repetition of the experiment.
 */
export async function reportRuns(
  query: Query,
  of: OfExperiment,
  runs: readonly ReportedRun[],
  along: Along = async () => true,
): Promise<{ readonly written: number; readonly known: number }> {
  const experiment = orRefuse(await findExperiment(query, { ...of, id: of.experimentId }), experimentNotFound);
  if (runs.some(({ repetition }) => repetition >= experiment.repetitions)) {
    throw repetitionUnknown(experiment.repetitions);
  }
  const long = runs.find(({ output }) => JSON.stringify(output).length > MAX_OUTPUT_CHARACTERS);
  if (long !== undefined) {
    throw outputTooLong(long.item_id, MAX_OUTPUT_CHARACTERS);
  }
  const ids = [...new Set(runs.map(({ item_id: id }) => id))];
  const { dataset_id: datasetId, dataset_version: version, split } = experiment;
  // Before checks are evaluated, which were masked alike, and whose results quote the output.
  const masked = await maskByRules(query, of.projectId, runs, maskRun);
  const reported = await query.transaction().execute(async (transaction) => {
    await lockExperiment(transaction, of);
    const items = new Map((await lockItems(transaction, { ...of, datasetId, version, split, ids })).map((item) => [item.item_id, item]));
    const unknown = ids.filter((id) => !items.has(id));
    if (unknown.length > 0) {
      throw itemsUnknown(unknown);
    }
    const gone = await findDeletedTraces(
      transaction,
      of.projectId,
      runs.flatMap(({ trace_id: id }) => id ?? []),
    );
    const isDeleted = (run: ReportedRun) =>
      (items.get(run.item_id)?.redacted_at ?? null) !== null || gone.has(run.trace_id?.toLowerCase() ?? "");
    if (!(await along(transaction, masked.some(isDeleted)))) {
      return { written: 0, known: 0 };
    }
    const checked = masked.map((run) => {
      // No checks are evaluated over nothing: their score is missing.
      return isDeleted(run)
        ? { run: withFailures(withoutContents(run), experiment), checks: [] }
        : { run: withFailures(run, experiment), checks: checkAtOnce(run, items.get(run.item_id)?.checks ?? []) };
    });
    const written = await insertRuns(transaction, of, checked);
    return { written, known: runs.length - written };
  });
  if (experiment.state === "finished" && reported.written > 0) {
    await keepMeans(query, of);
  }
  return reported;
}

function maskRun(run: ReportedRun, { value, text }: Masking): ReportedRun {
  return {
    ...run,
    output: toJson(value(run.output)),
    error: run.error === null ? null : text(run.error),
    scores: maskScores(run.scores, text),
  };
}

export function maskScores(scores: ReportedRun["scores"], text: Masking["text"]): ReportedRun["scores"] {
  const orNull = (given: string | null) => (given === null ? null : text(given));
  return scores.map((score) => ({ ...score, explanation: orNull(score.explanation), error: orNull(score.error) }));
}

/** Of an item, or a trace, whose user was deleted after it had been handed out, or ran. */
function withoutContents(run: ReportedRun): ReportedRun {
  return { ...run, output: null, error: deleted(run.error), scores: withoutWords(run.scores) };
}

export function withoutWords(scores: ReportedRun["scores"]): ReportedRun["scores"] {
  return scores.map((score) => ({ ...score, explanation: null, error: deleted(score.error) }));
}

const deleted = (given: string | null) => (given === null ? null : "the item's data were deleted");

/** A run that failed scores 0, whatever it would have been scored; where less is better there is no worst, and the score is missing. */
export function withFailures<T extends Pick<ReportedRun, "state" | "scores">>(
  run: T,
  { evaluators }: Pick<ExperimentRow, "evaluators">,
): T {
  if (run.state !== "failed") {
    return run;
  }
  const given = new Set(run.scores.map(({ name }) => name));
  const others = evaluators.filter(({ name }) => !given.has(name));
  return {
    ...run,
    scores: [
      ...run.scores,
      ...others.map(({ name, version, higher_is_better: isHigher }) => ({
        name,
        // Fits booleans and numbers alike.
        value: isHigher ? false : null,
        evaluator_version: version,
        explanation: "the run failed",
        error: isHigher ? null : "the run failed",
      })),
    ],
  };
}

function checkAtOnce(run: ReportedRun, checks: readonly Check[]): readonly CheckResult[] | null {
  if (run.state === "missing" || checks.length === 0) {
    return [];
  }
  return needTrace(checks) && run.state !== "failed"
    ? null
    : evaluateChecks(checks, { output: run.output, error: errorOf(run), trace: null });
}

export function errorOf({ state, error }: Pick<ReportedRun, "state" | "error">): string | null {
  return state === "failed" ? (error ?? "it failed") : null;
}
