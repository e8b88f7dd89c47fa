import type { FoundChunk } from "#retrieval/scope/read-chunks.store.ts";
import type { ParsedQuery } from "#retrieval/query/parse-query.ts";
import type { Candidate } from "./candidate.ts";
import { describeCandidates, type Described, type FeatureGroup } from "./features.ts";
import { KIND_FACTORS } from "./file-kind.ts";
import type { FusedChunk } from "./fuse.ts";
import { readRankingModel, type RankingModel } from "./ranking-model.ts";

/** The factors of a result's score, 1 when left out: the fused score is multiplied by each. `reranker` is a model's score, which decides the order. */
export type Factors = Readonly<Partial<Record<FactorName, number>>>;

type FactorName = FeatureGroup | "commits" | "kind" | "defines" | "place" | "mentioned" | "verbatim" | "spread" | "reranker";

export type RankedChunk = FoundChunk & {
  readonly score: number;
  /** The fused score of the legs. */
  readonly fused: number;
  /** What the fused score was multiplied with; worked out when asked, since few results are explained. */
  readonly explain: () => Factors;
  /** The query's words in the subjects of its file's commits. */
  readonly matchedCommitTerms: readonly string[];
  readonly ranks: FusedChunk["ranks"];
  /** Where places of a file are folded: its others, best first. */
  readonly also?: readonly Pick<FoundChunk, "start_line" | "end_line">[];
};

/** The texts of chunks, by their ids. */
export type Texts = ReadonlyMap<number, string>;

/** Reads the texts of the given chunks; the map may hold others, too. */
export type ReadTexts = (chunkIds: readonly number[]) => Promise<Texts>;

type Ranking = {
  readonly query: ParsedQuery;
  /** The weights of the query's terms, in their order; empty where BM25 has no part. */
  readonly termWeights: readonly number[];
  /** Whether the trained model has a say, or the legs and the rules alone (true). */
  readonly usesModel?: boolean | undefined;
  /** Reads the texts of the few best candidates. */
  readonly readTexts: ReadTexts;
};

const shipped = readRankingModel();

/** Orders what the legs found by what a person would look at first. */
export async function rank(
  candidates: readonly Candidate[],
  { query, termWeights, usesModel = true, readTexts }: Ranking,
): Promise<readonly RankedChunk[]> {
  const scored = scoreAll(describeCandidates(candidates, { query, termWeights }), usesModel ? shipped : undefined);
  const texts = isPasted(query)
    ? await readTexts(scored.slice(0, READ).map(({ described }) => idOf(described)))
    : new Map<number, string>();
  return orderByTexts(scored, query, texts);
}

type Ordering = Pick<Ranking, "query"> & { readonly texts: Texts; readonly model?: RankingModel | undefined };

/** The same by any model, of candidates that are described already and whose texts are known. */
export function order(described: readonly Described[], { query, texts, model = shipped }: Ordering): readonly RankedChunk[] {
  return orderByTexts(scoreAll(described, model), query, isPasted(query) ? texts : new Map());
}

/** So many of the best may hold what was pasted. */
const READ = 40;
/** Fewer words stand together by chance. */
const PASTED_WORDS = 4;
/** What a place that the query's path points to counts more. */
const PLACE = 8;
/** The logarithm of what a place counts more whose file's commits say all of the query's words. docs/benchmarks/2026-11-27.md says what it is worth. */
const COMMITS = 2;
/** What a place counts more whose file a report names, the most for the line. */
const MENTIONED = 1;
/** The extra weight of a text that holds all of the query letter for letter: it was pasted. docs/benchmarks/2026-11-27.md says what it is worth. */
const VERBATIM = 1_000;
/** The same of a test, a document or a copy, which often quote what stands elsewhere. */
const QUOTED = 2;
/** What the definition of the name that the query is counts more than its users. */
const DEFINITION = 20;
/** The weight of every further place of a file, so that one file does not fill the page. docs/benchmarks/2026-11-27.md says why not less for each. */
const FURTHER = 0.5;

type Scored = {
  readonly described: Described;
  readonly score: number;
  /** What judged it, beside the legs and the rules. */
  readonly model: RankingModel | undefined;
  /** Its text holds the whole query. */
  readonly isVerbatim: boolean;
  /** Another place of its file comes before it. */
  readonly isFurther: boolean;
};

/** Scores by everything but the texts, best first. */
function scoreAll(described: readonly Described[], model: RankingModel | undefined): readonly Scored[] {
  return described
    .map((each): Scored => {
      // What a path points to is no matter of judgement.
      const judge = each.place === undefined ? model : undefined;
      const learned = judge === undefined ? 1 : Math.exp(judge.score(each.features));
      const { kind, commits, defines, place, mentioned } = rulesOf(each);
      const score = learned * each.candidate.fused.score * kind * commits * defines * place * mentioned;
      return { described: each, score, model: judge, isVerbatim: false, isFurther: false };
    })
    .toSorted(byScore);
}

function isPasted({ text }: ParsedQuery): boolean {
  return text.split(/\s+/u).length >= PASTED_WORDS;
}

function orderByTexts(scored: readonly Scored[], { text }: ParsedQuery, texts: Texts): readonly RankedChunk[] {
  const read = scored.map((each, index): Scored => {
    const isVerbatim = index < READ && texts.get(idOf(each.described))?.includes(text) === true;
    return isVerbatim ? { ...each, isVerbatim, score: each.score * verbatimOf(each.described) } : each;
  });
  return takeFromFurther(read.toSorted(byScore)).map((each) => {
    const { candidate, matchedCommitTerms } = each.described;
    return {
      ...candidate.chunk,
      score: each.score,
      fused: candidate.fused.score,
      explain: () => explain(each),
      matchedCommitTerms,
      ranks: candidate.fused.ranks,
    };
  });
}

function rulesOf(described: Described) {
  const { defines, place = 0, mentioned } = described;
  return {
    kind: weighKind(described),
    commits: weighCommits(described),
    defines: DEFINITION ** defines,
    place: 1 + PLACE * place,
    mentioned: 1 + MENTIONED * mentioned,
  };
}

/** To what power the kind of its file counts where words ask. docs/benchmarks/2026-11-28.md says what it is worth. */
const KIND_IN_WORDS = 1.5;

/** What a place counts for the kind of its file. */
export function weighKind({ kind, features }: Described): number {
  return KIND_FACTORS[kind] ** (features.is_prose + features.is_report > 0 ? KIND_IN_WORDS : 1);
}

/** What the commits of a place's file speak for it. */
export function weighCommits({ commitTermCoverage }: Described): number {
  return Math.exp(COMMITS * commitTermCoverage);
}

function verbatimOf({ kind }: Described): number {
  return KIND_FACTORS[kind] === 1 ? VERBATIM : QUOTED;
}

function explain({ described, model, isVerbatim, isFurther }: Scored): Factors {
  const groups = Object.entries(model?.explain(described.features) ?? {});
  const factors = {
    ...Object.fromEntries(groups.map(([group, logarithm]) => [group, Math.exp(logarithm)])),
    ...rulesOf(described),
    verbatim: isVerbatim ? verbatimOf(described) : 1,
    spread: isFurther ? FURTHER : 1,
  };
  return Object.fromEntries(Object.entries(factors).filter(([, factor]) => factor !== 1));
}

/** The best place of each file, which names the file's others. */
export function foldByFile(ranked: readonly RankedChunk[]): readonly RankedChunk[] {
  const files = Map.groupBy(ranked, ({ repo, path }) => `${repo}\0${path}`);
  return [...files.values()].flatMap(([best, ...also]) => (best === undefined ? [] : [{ ...best, also }]));
}

function takeFromFurther(sorted: readonly Scored[]): readonly Scored[] {
  const seen = new Set<number>();
  return sorted
    .map((scored): Scored => {
      const { file } = scored.described;
      const isFurther = seen.has(file);
      seen.add(file);
      return isFurther ? { ...scored, isFurther, score: scored.score * FURTHER } : scored;
    })
    .toSorted(byScore);
}

function byScore(one: Scored, other: Scored): number {
  return other.score - one.score || idOf(one.described) - idOf(other.described);
}

function idOf({ candidate }: Described): number {
  return candidate.chunk.chunk_id;
}
