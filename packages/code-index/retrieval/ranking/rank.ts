import type { FoundChunk } from "#retrieval/scope/read-chunks.store.ts";
import type { ParsedQuery } from "#retrieval/query/query.ts";
import type { Candidate } from "./candidate.ts";
import { describeCandidates, withNearness, type Described, type FeatureGroup, type Features } from "./features.ts";
import { KIND_FACTORS } from "./file-kind.ts";
import type { FusedChunk } from "./fuse.ts";
import { FAR, type Nearness } from "./nearness.ts";
import { readRankingModel } from "./ranking-model.ts";

/** The factors of a result's score, 1 when left out: the fused score is multiplied by each. `reranker` is a model's score, which decides the order. */
export type Factors = Readonly<Partial<Record<FactorName, number>>>;

type FactorName = FeatureGroup | "kind" | "defines" | "place" | "mentioned" | "verbatim" | "spread" | "reranker";

export type RankedChunk = FoundChunk & {
  readonly score: number;
  /** The fused score of the legs. */
  readonly fused: number;
  readonly factors: Factors;
  readonly ranks: FusedChunk["ranks"];
};

/** The texts of chunks, by their ids. */
export type Texts = ReadonlyMap<number, string>;

/** Reads the texts of the given chunks; the map may hold others, too. */
export type ReadTexts = (chunkIds: readonly number[]) => Promise<Texts>;

type Ranking = {
  readonly query: ParsedQuery;
  /** The weights of the query's terms, in their order; empty where BM25 has no part. */
  readonly termWeights: readonly number[];
  /** Whether texts are read to see how near the query's words stand to each other (true). */
  readonly looksInside?: boolean | undefined;
  /** Reads the texts of the few best candidates. */
  readonly readTexts: ReadTexts;
};

const model = readRankingModel();

/** Orders what the legs found by what a person would look at first. */
export async function rank(
  candidates: readonly Candidate[],
  { query, termWeights, looksInside = true, readTexts }: Ranking,
): Promise<readonly RankedChunk[]> {
  const scored = scoreAll(describeCandidates(candidates, { query, termWeights }));
  const texts = looksInside ? await readTexts(scored.slice(0, READ).map(({ described }) => idOf(described))) : new Map<number, string>();
  return orderByTexts(scored, texts);
}

/** The same, of candidates that are described already and whose texts are known. */
export function order(described: readonly Described[], texts: Texts): readonly RankedChunk[] {
  return orderByTexts(scoreAll(described), texts);
}

/** How many texts are read word by word, which takes longer than all the rest. */
const READ = 40;
/** What a place that the query's path points to counts more. */
const PLACE = 8;
/** What a place counts more whose file a report names, the most for the line. */
const MENTIONED = 1;
/** What a text that holds all of the query letter for letter counts more: it was pasted. docs/benchmarks.md says what it is worth. */
const VERBATIM = 999;
/** The same of a test, a document or a copy, which often quote what stands elsewhere. */
const QUOTED = 1;
/** What the definition of the name that the query is counts more than its users. */
const DEFINITION = 20;
/** Each further place of a file is worth this much of the one before, so that one file does not fill the page. */
const FURTHER = 0.9;

type Scored = { readonly described: Described; readonly score: number; readonly factors: Factors };

/** Scores by everything but the texts, best first. */
function scoreAll(described: readonly Described[]): readonly Scored[] {
  return described.map((each) => score(each, each.features, FAR)).toSorted(byScore);
}

function orderByTexts(scored: readonly Scored[], texts: Texts): readonly RankedChunk[] {
  const read = scored.slice(0, READ).map((each) => {
    const text = texts.get(idOf(each.described));
    const nearness = text === undefined ? FAR : each.described.nearnessOf(text);
    return text === undefined ? each : score(each.described, withNearness(each.described, nearness), nearness);
  });
  const sorted = takeFromFurther([...read, ...scored.slice(READ)].toSorted(byScore));
  return sorted.map(({ described: { candidate }, score: reached, factors }) => ({
    ...candidate.chunk,
    score: reached,
    fused: candidate.fused.score,
    factors,
    ranks: candidate.fused.ranks,
  }));
}

function score(described: Described, features: Features, { verbatim }: Nearness): Scored {
  // What a path points to is no matter of judgement.
  const groups = described.place === undefined ? Object.entries(model.explain(features)) : [];
  const rules = [
    ["kind", KIND_FACTORS[described.kind]],
    ["defines", described.defines ? DEFINITION : 1],
    ["place", 1 + PLACE * (described.place ?? 0)],
    ["mentioned", 1 + MENTIONED * described.mentioned],
    ["verbatim", 1 + (KIND_FACTORS[described.kind] === 1 ? VERBATIM : QUOTED) * verbatim],
  ] as const;
  const learned = groups.map(([group, logarithm]) => [group, Math.exp(logarithm)] as const);
  const factors = [...learned, ...rules].filter(([, factor]) => factor !== 1);
  return {
    described,
    score: factors.reduce((product, [, factor]) => product * factor, described.candidate.fused.score),
    factors: Object.fromEntries(factors),
  };
}

function takeFromFurther(sorted: readonly Scored[]): readonly Scored[] {
  const seen = new Map<string, number>();
  return sorted
    .map((scored) => {
      const { repo, path } = scored.described.candidate.chunk;
      const before = seen.get(`${repo}\0${path}`) ?? 0;
      seen.set(`${repo}\0${path}`, before + 1);
      const spread = FURTHER ** before;
      return before === 0 ? scored : { ...scored, score: scored.score * spread, factors: { ...scored.factors, spread } };
    })
    .toSorted(byScore);
}

function byScore(one: Scored, other: Scored): number {
  return other.score - one.score || idOf(one.described) - idOf(other.described);
}

function idOf({ candidate }: Described): number {
  return candidate.chunk.chunk_id;
}
