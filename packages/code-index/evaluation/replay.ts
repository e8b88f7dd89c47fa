import { createDescriber, type Features } from "#retrieval/ranking/chunk-features.ts";
import { compileConditions } from "#retrieval/patterns/match-conditions.ts";
import { fuse, LEG_WEIGHTS, type LegName, type LegWeights } from "#retrieval/ranking/fuse.ts";
import { parseQuery, type ParsedQuery } from "#retrieval/query/query.ts";
import { order, RANK_WEIGHTS, type RankWeights, type Texts } from "#retrieval/ranking/rank.ts";
import type { CapturedQuery, CapturedRepository } from "./capture.ts";
import { judge, type Judged, type Scores } from "./judge.ts";

const CANDIDATES = 200;

/** A captured query with all that does not depend on how it is answered. */
export type Replayed = {
  readonly captured: CapturedQuery;
  readonly repository: CapturedRepository;
  readonly query: ParsedQuery;
  readonly features: ReadonlyMap<number, Features>;
  readonly texts: Texts;
  /** For a search in which BM25 has no part. */
  readonly uncovered: ReadonlyMap<number, Features>;
};

export type Answering = (replayed: Replayed) => readonly Judged[];

export function replay(repository: CapturedRepository): readonly Replayed[] {
  const texts = new Map(Object.values(repository.chunks).map((chunk) => [chunk.chunk_id, chunk.content]));
  return repository.queries.map((captured) => {
    const query = parseQuery(captured.text);
    const describe = createDescriber(query);
    const conditions = compileConditions(query);
    const features = new Map(
      [...new Set(Object.values(captured.legs).flat())].flatMap((id) => {
        const chunk = repository.chunks[id];
        return chunk === undefined || conditions?.areMetBy(chunk.content) === false
          ? []
          : [[id, describe({ chunk, coverage: captured.coverage[id] ?? 0 })] as const];
      }),
    );
    const uncovered = new Map([...features].map(([id, described]) => [id, { ...described, coverage: 0 }]));
    return { captured, repository, query, features, texts, uncovered };
  });
}

type Searching = {
  readonly legs?: readonly LegName[];
  readonly weights?: RankWeights;
  readonly legWeights?: LegWeights;
  /** False for the legs' fused order. */
  readonly ranks?: boolean;
  readonly candidates?: number;
};

const LEGS: readonly LegName[] = ["bm25", "exact", "semantic"];

/** As the product searches, but for what is said. */
export function searching({
  legs = LEGS,
  weights = RANK_WEIGHTS,
  legWeights = LEG_WEIGHTS,
  ranks = true,
  candidates: most = CANDIDATES,
}: Searching = {}): Answering {
  return ({ captured, repository: { chunks }, query, features, uncovered, texts }) => {
    const of = (leg: LegName) => (legs.includes(leg) ? captured.legs[leg] : []);
    const fused = fuse({ bm25: of("bm25"), exact: of("exact"), semantic: of("semantic") }, query.shape, legWeights).slice(0, most);
    const known = legs.includes("bm25") ? features : uncovered;
    const candidates = fused.flatMap((found) => {
      const [chunk, described] = [chunks[found.chunkId], known.get(found.chunkId)];
      return chunk === undefined || described === undefined ? [] : [{ fused: found, chunk, features: described }];
    });
    return ranks ? order(candidates, weights, texts) : candidates.map(({ chunk }) => chunk);
  };
}

export function scoreOf(answer: Answering, replayed: Replayed): Scores {
  return judge(answer(replayed), replayed.captured.targets);
}
