import { FEATURES, type FeatureGroup, type Features } from "#retrieval/ranking/features.ts";
import type { LegName } from "#retrieval/ranking/fuse.ts";
import { order } from "#retrieval/ranking/rank.ts";
import { judge, type Judged, type Scores } from "./judge.ts";
import { ALL_LEGS, candidatesOf, describe, type Replayed } from "./replay.ts";

export type Answering = (replayed: Replayed) => readonly Judged[];

type Searching = {
  readonly legs?: readonly LegName[];
  /** False for the legs' fused order. */
  readonly ranks?: boolean;
  /** What the ranking may not know; the model stays what it was trained to be. */
  readonly without?: FeatureGroup;
};

/** As the product searches, but for what is said. */
export function searching({ legs = ALL_LEGS, ranks = true, without }: Searching = {}): Answering {
  return (replayed) => {
    if (!ranks) {
      return candidatesOf(replayed, legs).map(({ chunk }) => chunk);
    }
    const described = legs === ALL_LEGS ? replayed.described : describe(replayed, legs);
    const known = without === undefined ? described : described.map((each) => ({ ...each, features: blank(each.features, without) }));
    return order(known, replayed.query, replayed.texts);
  };
}

function blank(features: Features, group: FeatureGroup): Features {
  return { ...features, ...Object.fromEntries(FEATURES[group].map((name) => [name, 0])) };
}

export function scoreOf(answer: Answering, replayed: Replayed): Scores {
  return judge(answer(replayed), replayed.captured.targets);
}
