import type { FoundChunk } from "#retrieval/scope/read-chunks.store.ts";
import { createDescriber, type Features } from "./chunk-features.ts";
import type { FileKind } from "./file-kind.ts";
import type { FusedChunk } from "./fuse.ts";
import type { ParsedQuery } from "#retrieval/query/query.ts";

/** The factors of a result's score, 1 when left out: the fused score is multiplied by each. `reranker` is a model's score, which decides the order. */
export type Factors = Readonly<Partial<Record<FactorName, number>>>;

type FactorName = "path" | "symbols" | "named" | "file name" | "place" | "coverage" | "kind" | "nearness" | "spread" | "reranker";

export type RankedChunk = FoundChunk & {
  readonly score: number;
  /** The fused score of the legs. */
  readonly fused: number;
  readonly factors: Factors;
  readonly ranks: FusedChunk["ranks"];
};

export type Candidate = {
  readonly fused: FusedChunk;
  readonly chunk: FoundChunk;
  /** The share of the query's words that it holds, from 0 to 1. */
  readonly coverage: number;
};

/** What each part of the ranking is worth; `npm run eval` says whether it is worth it. */
export type RankWeights = {
  /** The most that each of these features adds. */
  readonly path: number;
  readonly symbols: number;
  readonly named: number;
  readonly fileName: number;
  readonly coverage: number;
  /** The query is a path that points to the chunk. */
  readonly place: number;
  /** The query's terms in neighbouring lines, in the query's order, and letter for letter. */
  readonly nearness: number;
  readonly phrase: number;
  readonly verbatim: number;
  readonly kinds: Readonly<Record<FileKind, number>>;
  /** Each further chunk of a file is worth this much of the one before, so that one file does not fill the page. */
  readonly furtherChunk: number;
};

/** Tuned by `npm run eval -- --tune` on half of the repositories; the other half reports. */
export const RANK_WEIGHTS: RankWeights = {
  path: 0.6,
  symbols: 1.6,
  named: 1.6,
  fileName: 0.24,
  coverage: 0.7,
  place: 8,
  nearness: 0.5,
  phrase: 0.8,
  // No query of the evaluation is pasted: docs/benchmarks.md says what it is worth.
  verbatim: 1,
  kinds: { source: 1, test: 0.3, example: 0.6, declaration: 0.6, document: 0.5, data: 0.5, generated: 0.35, vendored: 0.3 },
  furtherChunk: 0.8,
};

/** The texts of chunks, by their ids. */
export type Texts = ReadonlyMap<number, string>;

/** Reads the texts of the given chunks; the map may hold others, too. */
export type ReadTexts = (chunkIds: readonly number[]) => Promise<Texts>;

type Ranking = {
  readonly query: ParsedQuery;
  readonly weights?: RankWeights | undefined;
  /** Reads the texts of the few best candidates. */
  readonly readTexts: ReadTexts;
};

/** Orders what the legs found by what a person would look at first. */
export async function rank(
  candidates: readonly Candidate[],
  { query, weights = RANK_WEIGHTS, readTexts }: Ranking,
): Promise<readonly RankedChunk[]> {
  const describe = createDescriber(query);
  const scored = scoreByPlace(
    candidates.map((candidate) => ({ ...candidate, features: describe(candidate) })),
    weights,
  );
  const texts = await readTexts(scored.slice(0, READ).map(({ candidate }) => candidate.chunk.chunk_id));
  return orderByText(scored, weights, texts);
}

export type DescribedCandidate = Pick<Candidate, "fused" | "chunk"> & { readonly features: Features };

/** The same, of candidates that are described already and whose texts are known. */
export function order(candidates: readonly DescribedCandidate[], weights: RankWeights, texts: Texts): readonly RankedChunk[] {
  return orderByText(scoreByPlace(candidates, weights), weights, texts);
}

/** Scores by everything but the texts, best first. */
function scoreByPlace(candidates: readonly DescribedCandidate[], weights: RankWeights): Scored[] {
  return candidates.map((candidate) => scoreAlone(candidate, weights)).toSorted(byScore);
}

function orderByText(scored: Scored[], weights: RankWeights, texts: Texts): readonly RankedChunk[] {
  addNearness(scored, weights, texts);
  scored.sort(byScore);
  takeFromFurther(scored, weights);
  scored.sort(byScore);
  return scored.map(({ candidate: { fused, chunk }, score, factors }) => ({
    ...chunk,
    score,
    fused: fused.score,
    factors,
    ranks: fused.ranks,
  }));
}

/** Mutable, since a search has hundreds. */
type Scored = {
  readonly candidate: DescribedCandidate;
  readonly file: string;
  readonly factors: Partial<Record<FactorName, number>>;
  score: number;
};

function scoreAlone(candidate: DescribedCandidate, weights: RankWeights): Scored {
  const { fused, chunk, features } = candidate;
  const scored: Scored = { candidate, file: `${chunk.repo}\0${chunk.path}`, factors: {}, score: fused.score };
  multiply(scored, "path", 1 + weights.path * features.path);
  multiply(scored, "symbols", 1 + weights.symbols * features.symbols);
  multiply(scored, "named", 1 + weights.named * features.named);
  multiply(scored, "file name", 1 + weights.fileName * features.fileName);
  multiply(scored, "place", 1 + weights.place * features.place);
  multiply(scored, "coverage", 1 + weights.coverage * features.coverage ** 2);
  multiply(scored, "kind", features.kind === "asked" ? 1 : weights.kinds[features.kind]);
  return scored;
}

function multiply(scored: Scored, name: FactorName, factor: number): void {
  if (factor !== 1) {
    scored.score *= factor;
    scored.factors[name] = factor;
  }
}

/** How many texts are read word by word, which takes longer than all the rest. */
const READ = 40;

function addNearness(sorted: readonly Scored[], { nearness, phrase, verbatim }: RankWeights, texts: Texts): void {
  if (nearness === 0 && phrase === 0 && verbatim === 0) {
    return;
  }
  for (const scored of sorted.slice(0, READ)) {
    const found = scored.candidate.features.nearness(texts.get(scored.candidate.chunk.chunk_id) ?? "");
    multiply(scored, "nearness", (1 + nearness * found.together) * (1 + phrase * found.inOrder) * (1 + verbatim * found.verbatim));
  }
}

function takeFromFurther(sorted: readonly Scored[], { furtherChunk }: RankWeights): void {
  const seen = new Map<string, number>();
  for (const scored of sorted) {
    const before = seen.get(scored.file) ?? 0;
    seen.set(scored.file, before + 1);
    multiply(scored, "spread", furtherChunk ** before);
  }
}

function byScore(one: Scored, other: Scored): number {
  return other.score - one.score || one.candidate.chunk.chunk_id - other.candidate.chunk.chunk_id;
}
