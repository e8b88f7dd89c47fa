import type { LegName } from "#contract.ts";
import type { Shape } from "#retrieval/query/query-shape.ts";

export type FusedChunk = {
  readonly chunkId: number;
  /** Between 0 and the sum of the weights. */
  readonly score: number;
  /** Its rank in each leg that found it, from 1. */
  readonly ranks: Partial<Record<LegName, number>>;
};

/** How much each leg counts, by the query's shape. */
const LEG_WEIGHTS: Readonly<Record<Shape, Readonly<Record<LegName, number>>>> = {
  symbol: { bm25: 1, exact: 1.5, semantic: 0.2 },
  literal: { bm25: 1, exact: 1.5, semantic: 0.2 },
  path: { bm25: 1, exact: 1.5, semantic: 0.2 },
  error: { bm25: 1, exact: 1, semantic: 0.3 },
  natural: { bm25: 1, exact: 0.3, semantic: 0.3 },
  mixed: { bm25: 1, exact: 0.5, semantic: 0.3 },
  report: { bm25: 1, exact: 0.3, semantic: 0.1 },
};

/** Reciprocal rank fusion's constant: the smaller, the more the first places of a leg count. */
const K = 30;

/** Joins the legs' rankings by reciprocal rank, which needs no common scale of scores; best first. */
export function fuse(legs: Readonly<Record<LegName, readonly number[]>>, shape: Shape): readonly FusedChunk[] {
  const fused = new Map<number, { score: number; ranks: Partial<Record<LegName, number>> }>();
  for (const leg of ["bm25", "exact", "semantic"] as const) {
    legs[leg].forEach((chunkId, index) => {
      const entry = fused.get(chunkId) ?? { score: 0, ranks: {} };
      entry.score += (LEG_WEIGHTS[shape][leg] * (K + 1)) / (K + index + 1);
      entry.ranks[leg] = index + 1;
      fused.set(chunkId, entry);
    });
  }
  return [...fused]
    .map(([chunkId, { score, ranks }]) => ({ chunkId, score, ranks }))
    .toSorted((a, b) => b.score - a.score || a.chunkId - b.chunkId);
}
