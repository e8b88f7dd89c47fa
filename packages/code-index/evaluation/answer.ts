import { FEATURES, type Described, type FeatureGroup } from "#retrieval/ranking/features.ts";
import type { LegName } from "#contract.ts";
import { order } from "#retrieval/ranking/rank.ts";
import { heldOutModelFor } from "./held-out-model.ts";
import { judge, type Judged, type Scores } from "./judge.ts";
import { ALL_LEGS, listCandidates, describe, type Replayed } from "./replay.ts";

export type Answering = (replayed: Replayed) => readonly Judged[];

type Searching = {
  readonly legs?: readonly LegName[];
  /** False for the legs' fused order. */
  readonly ranks?: boolean;
  /** What the ranking may not know; the model stays what it was trained to be. */
  readonly without?: Evidence;
};

/** What the rules go by, as it is where there is none of it. */
const NO_RULES = {
  commits: { commitTermCoverage: 0 },
  kinds: { kind: "source" },
  definitions: { defines: 0 },
  mentions: { mentioned: 0 },
} as const satisfies Record<string, Partial<Described>>;

type Evidence = FeatureGroup | keyof typeof NO_RULES;

/** All that can be left out; the kind of a query is no evidence. */
export const EVIDENCE = [...Object.keys(FEATURES).filter((group) => group !== "query"), ...Object.keys(NO_RULES)] as readonly Evidence[];

/** As the product searches, but for what is said, and by a model that has not learned from the repository. */
export function searching({ legs = ALL_LEGS, ranks = true, without }: Searching = {}): Answering {
  return (replayed) => {
    if (!ranks) {
      return listCandidates(replayed, legs).map(({ chunk }) => chunk);
    }
    const described = legs === ALL_LEGS ? replayed.described : describe(replayed, legs);
    const { query, texts, repository } = replayed;
    const model = heldOutModelFor(repository.name);
    return order(without === undefined ? described : described.map((each) => leaveOut(each, without)), { query, texts, model });
  };
}

function leaveOut(described: Described, evidence: Evidence): Described {
  if (evidence in NO_RULES) {
    return { ...described, ...NO_RULES[evidence as keyof typeof NO_RULES] };
  }
  const group = FEATURES[evidence as FeatureGroup];
  return { ...described, features: { ...described.features, ...Object.fromEntries(group.map((name) => [name, 0])) } };
}

export function scoreAnswer(answer: Answering, replayed: Replayed): Scores {
  return judge(answer(replayed), replayed.captured.targets);
}
