import { readRankingModel, type RankingModel } from "#retrieval/ranking/ranking-model.ts";

/** Trained as the model that is shipped, each on half of the repositories. */
const HALVES = [1, 2].map((half) => readRankingModel(new URL(`models/half-${half}.json`, import.meta.url)));

/**
 * The model that has not learned from a repository; undefined, for the one that is shipped, where it has not either. The shipped one has
 * learned from all repositories of the sets, so that it can't be judged by them.
 */
export function heldOutModelFor(repository: string): RankingModel | undefined {
  const others = HALVES.filter(({ learnedFrom }) => !learnedFrom.includes(repository));
  return others.length === HALVES.length ? undefined : others[0];
}
