import { readFileSync } from "node:fs";
import { z } from "zod";
import { FEATURES, type FeatureGroup, type FeatureName, type Features } from "./features.ts";

const numbersSchema = z.array(z.number());

/**
 * Small trees of decisions. A node compares one feature with a threshold: not greater goes left. `left` and `right` are nodes, or leaves
 * as -1 - leaf. `means` are what a node's candidates are worth on average in training; by them a leaf's worth is told apart into what
 * each decision on the way adds.
 */
const modelSchema = z.object({
  features: z.array(z.string()),
  trees: z.array(
    z.object({
      features: numbersSchema,
      thresholds: numbersSchema,
      left: numbersSchema,
      right: numbersSchema,
      means: numbersSchema,
      leaves: numbersSchema,
    }),
  ),
});

type Tree = z.infer<typeof modelSchema>["trees"][number];

export type RankingModel = {
  /** The logarithm of what the fused score is multiplied with, by group; their sum decides. */
  readonly explain: (features: Features) => Readonly<Record<FeatureGroup, number>>;
};

const GROUPS = Object.keys(FEATURES) as FeatureGroup[];

/**
 * The model that ranks, gradient-boosted trees (LambdaMART, after Burges, 2010) that are sums, so that each result can be explained:
 * a leaf's worth is the root's mean and what each decision on the way changed it by (Saabas, 2014).
 */
export function readRankingModel(file: URL = new URL("ranking-model.json", import.meta.url)): RankingModel {
  const { features: names, trees } = modelSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  const groups = names.map((name) => GROUPS.findIndex((group) => (FEATURES[group] as readonly string[]).includes(name)));
  return {
    explain: (features) => {
      // Not when it is read: to train it anew the features have to be written first.
      if (groups.includes(-1)) {
        throw new Error("The ranking model was trained on features that there are not; train it anew (evaluation/train-ranking.py).");
      }
      const values = names.map((name) => features[name as FeatureName]);
      const sums = GROUPS.map(() => 0);
      for (const tree of trees) {
        addTree(sums, tree, values, groups);
      }
      return Object.fromEntries(GROUPS.map((group, index) => [group, sums[index] ?? 0])) as Record<FeatureGroup, number>;
    },
  };
}

function addTree(
  sums: number[],
  { features, thresholds, left, right, means, leaves }: Tree,
  values: readonly number[],
  groups: readonly number[],
) {
  let node = 0;
  let before = means[0] ?? 0;
  while (node >= 0) {
    const feature = features[node] ?? 0;
    const next = ((values[feature] ?? 0) <= (thresholds[node] ?? 0) ? left[node] : right[node]) ?? -1;
    const after = (next < 0 ? leaves[-1 - next] : means[next]) ?? 0;
    const group = groups[feature] ?? 0;
    sums[group] = (sums[group] ?? 0) + after - before;
    before = after;
    node = next;
  }
}
