import { scorePostings } from "#retrieval/bm25/score-postings.ts";
import { loadPostings } from "#retrieval/bm25/segment-memory.ts";
import { chunksOfMatchingFiles, keepMatchingFiles } from "#retrieval/scope/read-postings.store.ts";
import { filtersFiles, type TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { readAs } from "#store/tenancy/tenant.ts";
import type { Leg, LegAnswer, LegQuery } from "./leg.ts";

/** The words of the query, scored by BM25. */
export const byWords: Leg = {
  deadlineMs: 1_500,
  hits: { usual: 150, deep: 3_000 },
  advice: "name a repository",
  findsText: true,
  search: searchByWords,
};

/** The best chunks looked through first when a path or language is asked for. */
const FILTERED = 5_000;

async function searchByWords(looking: LegQuery): Promise<LegAnswer> {
  const { database, memory, scope, query, segments, limit, deadlineMs } = looking;
  if (query.queryTerms.length === 0) {
    return { chunkIds: [], state: "skipped", reason: "the query has no word" };
  }
  const read = <Result>(work: (transaction: TenantQuery) => Promise<Result>) => readAs(database, scope.tenant, deadlineMs, work);
  const postings = await loadPostings({ memory, scope, segments, read }, query.queryTerms);
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
