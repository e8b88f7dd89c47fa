import { LEG_WEIGHTS, type LegWeights } from "#retrieval/ranking/fuse.ts";
import { RANK_WEIGHTS, type RankWeights } from "#retrieval/ranking/rank.ts";
import { mean } from "./judge.ts";
import { FAMILIES } from "./query-set.ts";
import { scoreOf, searching, type Replayed } from "./replay.ts";

type Constants = { readonly weights: RankWeights; readonly legWeights: LegWeights };

/** One step of a constant, up or down. */
const STEPS = [0.6, 1.6];
const ROUNDS = 3;
/** Those further down hardly ever come up. */
const CANDIDATES = 120;
/** A smaller gain is chance. */
const MIN_GAIN = 0.0003;

/** Climbs, constant by constant, to where the mean NDCG@10 of the four families is highest, and prints where that is. */
export function tune(queries: readonly Replayed[]): void {
  let best: Constants = { weights: RANK_WEIGHTS, legWeights: LEG_WEIGHTS };
  let score = scoreWith(best, queries);
  console.error(`begins at ${score.toFixed(4)}`);
  for (let round = 0; round < ROUNDS; round++) {
    const before = score;
    for (const [name, change] of CHANGES) {
      for (const step of STEPS) {
        const tried = change(best, step);
        const reached = scoreWith(tried, queries);
        if (reached > score + MIN_GAIN) {
          [best, score] = [tried, reached];
          console.error(`${name} × ${step}: ${score.toFixed(4)}`);
          break;
        }
      }
    }
    if (score === before) {
      break;
    }
  }
  console.log(JSON.stringify(best, undefined, 2));
}

/** Every family counts the same, however many queries it has. */
function scoreWith({ weights, legWeights }: Constants, queries: readonly Replayed[]): number {
  const answer = searching({ weights, legWeights, candidates: CANDIDATES });
  const families = FAMILIES.map((family) => queries.filter(({ captured }) => captured.family === family));
  return families.reduce((sum, some) => sum + mean(some.map((query) => scoreOf(answer, query))).ndcg, 0) / families.length;
}

/**
 * The kinds of files are no part of it: as no query asks for a test or a document, it would say that nobody ever wants one.
 */
type Change = (constants: Constants, step: number) => Constants;

const CHANGES: readonly (readonly [string, Change])[] = [
  ...(["path", "symbols", "named", "fileName", "coverage", "nearness", "phrase", "verbatim", "furtherChunk"] as const).map(
    (name): readonly [string, Change] => [
      name,
      // What was switched off may come back.
      ({ weights, legWeights }, step) => ({
        weights: { ...weights, [name]: rounded((weights[name] === 0 ? 0.1 : weights[name]) * step) },
        legWeights,
      }),
    ],
  ),
  ...(["symbol", "natural"] as const).flatMap((shape) =>
    (["exact", "semantic"] as const).map((leg): readonly [string, Change] => [
      `${shape} ${leg}`,
      ({ weights, legWeights }, step) => ({
        weights,
        legWeights: { ...legWeights, [shape]: { ...legWeights[shape], [leg]: rounded(legWeights[shape][leg] * step) } },
      }),
    ]),
  ),
];

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
