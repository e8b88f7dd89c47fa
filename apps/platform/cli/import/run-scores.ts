import type { LangfuseScore } from "./langfuse-schemas.ts";
import type { SourceRun } from "./langfuse-source.ts";

export type RunScore = {
  readonly name: string;
  readonly value: number | boolean;
  readonly evaluator_version: string;
  readonly explanation: string | null;
};

const MAX_SCORES = 50;
const MAX_SCORE = 1e15;

/**
 * A run's scores as an experiment has them: of a name and source the newest. Who gave it is the evaluator's version, so that people and
 * judges are never compared with each other.
 * @param leaveOut is told of each other score of the trace, and why.
 */
export function toRunScores(
  run: SourceRun,
  scores: readonly LangfuseScore[],
  leaveOut: (score: LangfuseScore, reason: string) => void,
): ReadonlyMap<string, { readonly id: string; readonly score: RunScore }> {
  const kept = new Map<string, { readonly id: string; readonly score: RunScore }>();
  const newestFirst = scores.toSorted((a, b) => b.timestamp.localeCompare(a.timestamp) || b.id.localeCompare(a.id));
  for (const score of newestFirst) {
    const value = valueOf(score);
    const key = `${score.name}\n${score.source}`;
    const reason =
      score.observationId !== undefined && score.observationId !== run.observation
        ? "of a step within the run"
        : value === undefined
          ? `${score.dataType.toLowerCase()}: runs have booleans and numbers up to ${MAX_SCORE}`
          : kept.has(key)
            ? "a newer one of the same name and source counts"
            : kept.size === MAX_SCORES
              ? `a run has at most ${MAX_SCORES}`
              : score.name.trim() === "" || score.name.length > 200
                ? "its name has no or over 200 characters"
                : undefined;
    if (reason !== undefined || value === undefined) {
      leaveOut(score, reason ?? "");
      continue;
    }
    const explanation = score.comment?.slice(0, 10_000) ?? null;
    kept.set(key, {
      id: score.id,
      score: { name: score.name.trim(), value, evaluator_version: `langfuse ${score.source.toLowerCase()}`, explanation },
    });
  }
  return kept;
}

function valueOf({ dataType, value }: LangfuseScore): number | boolean | undefined {
  if (dataType === "BOOLEAN") {
    return value === true || value === 1 ? true : value === false || value === 0 ? false : undefined;
  }
  return dataType === "NUMERIC" && typeof value === "number" && Math.abs(value) <= MAX_SCORE ? value : undefined;
}
