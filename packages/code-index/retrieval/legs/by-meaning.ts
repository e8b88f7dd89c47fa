import type { RepositoryInScope } from "#store/tenancy/read-scope.store.ts";
import { findNearest, firstEfSearch } from "#store/index/read-vectors.store.ts";
import { readAs } from "#store/tenancy/tenant.ts";
import type { Leg, LegAnswer, LegQuery } from "./leg.ts";

/** Vectors near that of the query. */
export const byMeaning: Leg = {
  deadlineMs: 1_500,
  hits: { usual: 100, deep: 500 },
  advice: "name a repository",
  findsText: false,
  search: searchByMeaning,
};

async function searchByMeaning(looking: LegQuery): Promise<LegAnswer> {
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
  const visit = { milliseconds: deadlineMs, efSearch: firstEfSearch(nearest) };
  const chunkIds = await readAs(database, scope.tenant, visit, (transaction) => findNearest(transaction, scope, nearest));
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
