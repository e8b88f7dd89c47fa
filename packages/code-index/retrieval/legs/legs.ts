import type { QueryEmbedder } from "#embedding/query-embedder.ts";
import { chunksOfMatchingFiles, keepMatchingFiles } from "#retrieval/scope/read-postings.store.ts";
import { filtersFiles, type RepositoryInScope, type Scope, type TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { findNearest } from "#store/index/read-vectors.store.ts";
import type { StoredEmbedder } from "#store/index/vectors.store.ts";
import { readAs, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import type { LegAnswer } from "./leg.ts";
import type { ParsedQuery } from "#retrieval/query/query.ts";
import { scorePostings } from "#retrieval/bm25/score-postings.ts";
import { postingsOf, type SegmentMemory } from "#retrieval/bm25/segment-memory.ts";
import type { VisibleChunks } from "#retrieval/scope/visible-chunks.ts";

/** The input of each leg. */
export type Looking = {
  readonly database: CodeIndexDatabase;
  readonly memory: SegmentMemory;
  readonly scope: Scope;
  readonly query: ParsedQuery;
  /** The segments that are visible in the scope. */
  readonly segments: readonly VisibleChunks[];
  /** Hits wanted at the most. */
  readonly limit: number;
  readonly deadlineMs: number;
};

/** The best chunks looked through first when a path or language is asked for. */
const FILTERED = 5_000;

export async function searchByWords(looking: Looking): Promise<LegAnswer> {
  const { database, memory, scope, query, segments, limit, deadlineMs } = looking;
  if (query.queryTerms.length === 0) {
    return { chunkIds: [], state: "skipped", reason: "the query has no word" };
  }
  const read = <Result>(work: (transaction: TenantQuery) => Promise<Result>) => readAs(database, scope.tenant, deadlineMs, work);
  const postings = await postingsOf({ memory, scope, segments, read }, query.queryTerms);
  const queryTerms = query.queryTerms.map(({ weight }, index) => ({ weight, postings: postings[index] ?? new Map<number, null>() }));
  const scoring = { memory, queryTerms, segments };
  if (!filtersFiles(scope)) {
    const words = await scorePostings({ ...scoring, limit });
    return { chunkIds: words.best.map((hit) => hit.chunkId), words };
  }
  const words = await scorePostings({ ...scoring, limit: FILTERED });
  const { best } = words;
  return read(async (transaction) => {
    const kept = await keepMatchingFiles(
      transaction,
      scope,
      best.map((hit) => hit.chunkId),
    );
    const found = best.flatMap(({ chunkId }) => (kept.has(chunkId) ? [chunkId] : [])).slice(0, limit);
    if (found.length === limit || best.length < FILTERED) {
      return { chunkIds: found, words };
    }
    // Few files match, so that asking for them first is cheap, and finds those further down.
    const matching = await chunksOfMatchingFiles(transaction, scope);
    const among = await scorePostings({ ...scoring, limit, isWanted: (chunkId) => matching.has(chunkId) });
    return { chunkIds: among.best.map((hit) => hit.chunkId), words };
  });
}

type LookingByMeaning = Looking & {
  readonly embedder: QueryEmbedder | undefined;
  readonly repositories: readonly RepositoryInScope[];
  /** The embedder whose vectors are searched; undefined before there are any. */
  readonly vectors: StoredEmbedder | undefined;
};

export async function searchByMeaning(looking: LookingByMeaning): Promise<LegAnswer> {
  const { database, scope, query, limit, deadlineMs, embedder, repositories, vectors } = looking;
  if (embedder === undefined) {
    return { chunkIds: [], state: "skipped", reason: "no embedder is configured (CODEINDEX_EMBEDDER=none)" };
  }
  if (vectors === undefined) {
    return { chunkIds: [], state: "pending", reason: `nothing has vectors of ${embedder.identity.model} yet` };
  }
  if (query.text === "") {
    return { chunkIds: [], state: "skipped", reason: "the query has no word" };
  }
  const embedded = await embedder.embed(query.meant, vectors.identity);
  if (!("vector" in embedded)) {
    return { chunkIds: [], ...embedded };
  }
  const compared = { vector: embedded.vector, embedder: vectors };
  const nearest = { ...compared, limit, chunks: chunksOf(repositories) };
  const chunkIds = await readAs(database, scope.tenant, deadlineMs, (transaction) => findNearest(transaction, scope, nearest));
  return { chunkIds, compared, by: vectors.provider === "hash" ? "spelling" : "meaning", ...waiting(repositories) };
}

function chunksOf(repositories: readonly RepositoryInScope[]) {
  const inScope = repositories.reduce((sum, repository) => sum + (repository.chunks ?? 0), 0);
  return { inScope, ofTenant: repositories[0]?.tenant_chunks ?? 0 };
}

/** Chunks without a vector yet are found by the other legs alone, which an answer must say. */
function waiting(repositories: readonly RepositoryInScope[]): Pick<LegAnswer, "state" | "reason"> {
  const pending = repositories.reduce((sum, repository) => sum + (repository.vectors_pending ?? 0), 0);
  if (pending === 0) {
    return {};
  }
  const error = repositories.find((repository) => repository.vectors_error !== null)?.vectors_error ?? "they are being made";
  return { state: "pending", reason: `${pending} chunks have no vector yet: ${error}` };
}
