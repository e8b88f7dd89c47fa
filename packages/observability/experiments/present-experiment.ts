import type { Experiment, Run } from "#contract.ts";
import type { ExperimentRow } from "./experiments.store.ts";
import type { RunRow, ScoreRow } from "./runs.store.ts";

export function presentExperiment({ succeeded, failed, missing, unchecked, ...row }: ExperimentRow): Experiment {
  return {
    ...row,
    evaluators: [...row.evaluators],
    means: [...row.means],
    created_at: row.created_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    runs: { succeeded, failed, missing, unchecked },
  };
}

/** A run with those of the scores that are its own. */
export function presentRun(run: RunRow, scores: readonly ScoreRow[]): Run {
  const { is_newest: _newest, started_at: _started, checks, ...shown } = run;
  const isOwn = (score: ScoreRow) => score.item_id === run.item_id && score.repetition === run.repetition && score.attempt === run.attempt;
  return {
    ...shown,
    checks: checks === null ? null : [...checks],
    scores: scores.filter(isOwn).map(({ item_id: _item, repetition: _repetition, attempt: _attempt, ...score }) => score),
  };
}
