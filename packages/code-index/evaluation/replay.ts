import { compileConditions, type Conditions } from "#retrieval/patterns/match-conditions.ts";
import { parseQuery, type ParsedQuery } from "#retrieval/query/parse-query.ts";
import type { Candidate } from "#retrieval/ranking/candidate.ts";
import { describeCandidates, type Described } from "#retrieval/ranking/features.ts";
import type { LegName } from "#contract.ts";
import { fuse } from "#retrieval/ranking/fuse.ts";
import type { CapturedRepository } from "./capture-repository.ts";
import type { Captured, CapturedQuery } from "./capture.ts";

const CANDIDATES = 200;

export const ALL_LEGS: readonly LegName[] = ["bm25", "exact", "semantic"];

/** A captured query with all that does not depend on how it is answered. */
export type Replayed = {
  readonly captured: CapturedQuery;
  readonly repository: CapturedRepository;
  readonly chunks: Captured["chunks"];
  readonly query: ParsedQuery;
  readonly conditions: Conditions | undefined;
  readonly texts: ReadonlyMap<number, string>;
  /** As all legs find them, described. */
  readonly described: readonly Described[];
};

export function replay(repository: CapturedRepository): readonly Replayed[] {
  return repository.parts.flatMap(({ chunks, queries }) => {
    const texts = new Map(Object.values(chunks).map((chunk) => [chunk.chunk_id, chunk.content]));
    return queries.map((captured): Replayed => {
      const query = parseQuery(captured.text);
      const found = { captured, repository, chunks, query, conditions: compileConditions(query), texts };
      return { ...found, described: describe(found, ALL_LEGS) };
    });
  });
}

/** A captured query whose candidates are not described yet. */
type Found = Omit<Replayed, "described">;

export function describe(found: Found, legs: readonly LegName[]): readonly Described[] {
  const termWeights = legs.includes("bm25") ? found.captured.weights : [];
  return describeCandidates(listCandidates(found, legs), { query: found.query, termWeights });
}

export function listCandidates({ captured, chunks, query, conditions }: Found, legs: readonly LegName[]): readonly Candidate[] {
  const of = (leg: LegName) => (legs.includes(leg) ? captured.legs[leg] : []);
  const fused = fuse({ bm25: of("bm25"), exact: of("exact"), semantic: of("semantic") }, query.shape).slice(0, CANDIDATES);
  return fused.flatMap((found): readonly Candidate[] => {
    const chunk = chunks[found.chunkId];
    const contributions = legs.includes("bm25") ? (captured.contributions[found.chunkId] ?? []) : [];
    const likeness = legs.includes("semantic") ? captured.likeness[found.chunkId] : undefined;
    return chunk === undefined || conditions?.matches(chunk.content) === false
      ? []
      : [{ fused: found, chunk, contributions, likeness, subjectWords: chunk.subject_words ?? "" }];
  });
}
