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
  learned_from: z.array(z.string()),
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
  /** The repositories whose questions it was trained on. */
  readonly learnedFrom: readonly string[];
  /** The logarithm of what the fused score is multiplied with. */
  readonly score: (features: Features) => number;
  /** The same, told apart by group: the sum is the score. */
  readonly explain: (features: Features) => Readonly<Record<FeatureGroup, number>>;
};

const GROUPS = Object.keys(FEATURES) as FeatureGroup[];

/**
 * The model that ranks, gradient-boosted trees (LambdaMART, after Burges, 2010) that are sums, so that each result can be explained:
 * a leaf's worth is the root's mean and what each decision on the way changed it by (Saabas, 2014).
 */
export function readRankingModel(file: URL = new URL("ranking-model.json", import.meta.url)): RankingModel {
  const { learned_from: learnedFrom, features: names, trees } = modelSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  const groups = names.map((name) => GROUPS.findIndex((group) => (FEATURES[group] as readonly string[]).includes(name)));
  const isOfOthers = groups.includes(-1);
  const { nodes, leaves, roots } = join(trees);
  const average = roots.reduce((sum, root) => sum + (nodes.means[root] ?? 0), 0);
  const values = new Float64Array(names.length);

  function read(features: Features): void {
    // Not when the model is read: to train it anew the features have to be written first.
    if (isOfOthers) {
      throw new Error("The ranking model was trained on features that there are not; train it anew (evaluation/train-ranking.py).");
    }
    for (let index = 0; index < names.length; index++) {
      values[index] = features[names[index] as FeatureName];
    }
  }

  function next(node: number): number {
    const isLeft = (values[nodes.features[node] ?? 0] ?? 0) <= (nodes.thresholds[node] ?? 0);
    return (isLeft ? nodes.left[node] : nodes.right[node]) ?? -1;
  }

  return {
    learnedFrom,
    score: (features) => {
      read(features);
      let sum = -average;
      for (const root of roots) {
        let node = root;
        while (node >= 0) {
          node = next(node);
        }
        sum += leaves[-1 - node] ?? 0;
      }
      return sum;
    },
    explain: (features) => {
      read(features);
      const sums = GROUPS.map(() => 0);
      for (const root of roots) {
        for (let node = root; node >= 0;) {
          const after = next(node);
          const group = groups[nodes.features[node] ?? 0] ?? 0;
          const changed = ((after < 0 ? leaves[-1 - after] : nodes.means[after]) ?? 0) - (nodes.means[node] ?? 0);
          sums[group] = (sums[group] ?? 0) + changed;
          node = after;
        }
      }
      return Object.fromEntries(GROUPS.map((group, index) => [group, sums[index] ?? 0])) as Record<FeatureGroup, number>;
    },
  };
}

/** All trees in arrays of numbers, since every candidate of every search goes through each of them. */
function join(trees: readonly Tree[]) {
  const roots: number[] = [];
  const joined = {
    features: [] as number[],
    thresholds: [] as number[],
    left: [] as number[],
    right: [] as number[],
    means: [] as number[],
  };
  const leaves: number[] = [];
  for (const tree of trees) {
    const [firstNode, firstLeaf] = [joined.features.length, leaves.length];
    const place = (child: number) => (child < 0 ? child - firstLeaf : child + firstNode);
    roots.push(firstNode);
    joined.features.push(...tree.features);
    joined.thresholds.push(...tree.thresholds);
    joined.left.push(...tree.left.map(place));
    joined.right.push(...tree.right.map(place));
    joined.means.push(...tree.means);
    leaves.push(...tree.leaves);
  }
  return {
    roots: Int32Array.from(roots),
    leaves: Float64Array.from(leaves),
    nodes: {
      features: Int32Array.from(joined.features),
      thresholds: Float64Array.from(joined.thresholds),
      left: Int32Array.from(joined.left),
      right: Int32Array.from(joined.right),
      means: Float64Array.from(joined.means),
    },
  };
}
