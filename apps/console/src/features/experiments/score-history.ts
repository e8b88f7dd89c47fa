import { isByItem, toRecord, type Experiment, type ScoreMean } from "@sightline/observability/contract";
import { formatValue } from "./verdict-words.ts";

type Score = Pick<ScoreMean, "name" | "source">;

/** A score as the address has it. */
export const scoreKey = ({ source, name }: Score) => `${source}:${name}`;

export function scoreLabel({ source, name }: Score): string {
  return isByItem({ source, name }) ? "checks (pass rate)" : source === "run" && name !== "tokens" ? `${name} of an item` : name;
}

/** All that the experiments have, in the order of their lists: what evaluators and checks say, then what runs took. */
export function scoresOf(experiments: readonly Experiment[]): readonly Score[] {
  const all = new Map(experiments.flatMap(({ means }) => means.map((mean) => [scoreKey(mean), mean] as const)));
  return [...all.values()].toSorted((left, right) => Number(left.source === "run") - Number(right.source === "run"));
}

export const meanOf = ({ means }: Experiment, score: Score) => means.find((mean) => scoreKey(mean) === scoreKey(score));

/** `0.82 (0.76 to 0.87)` */
export function meanInWords(mean: ScoreMean): string {
  const { low, high } = mean;
  return low === null || high === null
    ? formatValue(mean, mean.mean)
    : `${formatValue(mean, mean.mean)} (${formatValue(mean, low)} to ${formatValue(mean, high)})`;
}

/** The commit that ran; where none is known, what the experiment is called. */
export const commitLabel = ({ commit, is_dirty: isDirty, name }: Experiment) =>
  commit === null ? name : `${commit.slice(0, 7)}${isDirty ? "+" : ""}`;

const COLUMNS = [
  "experiment",
  "id",
  "created_at",
  "branch",
  "commit",
  "gate",
  "gate_baseline",
  "source",
  "score",
  "mean",
  "low",
  "high",
  "items",
];

/** A line for each score of each experiment. */
export function historyAsCsv(experiments: readonly Experiment[]): string {
  const lines = experiments.flatMap(({ name, id, created_at: at, branch, commit, gate, means }) =>
    means.map(({ source, name: score, mean, low, high, items }) =>
      toRecord([name, id, at, branch, commit, gate?.outcome ?? null, gate?.baseline ?? null, source, score, mean, low, high, items]),
    ),
  );
  return [toRecord(COLUMNS), ...lines].join("");
}
