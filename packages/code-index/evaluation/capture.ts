import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createQueryEmbedder } from "#embedding/query-embedder.ts";
import { compileConditions } from "#retrieval/patterns/match-conditions.ts";
import { parseQuery } from "#retrieval/query/parse-query.ts";
import type { LegName } from "#contract.ts";
import { readChunks, readContents, type FoundChunk } from "#retrieval/scope/read-chunks.store.ts";
import { readSearched } from "#retrieval/scope/read-searchable.ts";
import { createSearchState } from "#retrieval/search/search.ts";
import { runLegs } from "#retrieval/search/search-legs.ts";
import { readAs } from "#store/tenancy/tenant.ts";
import type { EvaluatedIndex } from "./evaluated-index.ts";
import type { EvalQuery } from "./query-set.ts";

/** What the legs find for a query, so that it can be fused and ranked again and again without them. */
export type CapturedQuery = EvalQuery & {
  readonly legs: Readonly<Record<LegName, readonly number[]>>;
  /** What each of the query's terms adds to a chunk's BM25 score, by the chunk's id. */
  readonly contributions: Readonly<Record<string, readonly number[]>>;
  /** The cosines of chunks' vectors and the query's, by the chunks' ids. */
  readonly likeness: Readonly<Record<string, number>>;
  /** The weights of the query's terms, in their order. */
  readonly weights: readonly number[];
  /** Files in ripgrep's order. */
  readonly ripgrep: readonly string[];
};

export type CapturedChunk = FoundChunk & {
  readonly content: string;
  /** The words of the subjects of its file's commits. */
  readonly subject_words: string | null;
};

export type Captured = {
  readonly chunks: Readonly<Record<string, CapturedChunk>>;
  readonly queries: readonly CapturedQuery[];
};

const DEADLINE_MS = 30_000;
const DEADLINES = { bm25: DEADLINE_MS, exact: DEADLINE_MS, semantic: DEADLINE_MS };

type Capturing = {
  readonly index: EvaluatedIndex;
  readonly repo: string;
  readonly queries: readonly EvalQuery[];
  /** Files, as ripgrep would order them. */
  readonly compare: (text: string) => Promise<readonly string[]>;
};

export async function capture({ index: { database, tenant, embedding }, repo, queries, compare }: Capturing): Promise<Captured> {
  const embedder = createQueryEmbedder({ config: embedding, log: silentLog, timing: { deadlineMs: DEADLINE_MS, pauseMs: DEADLINE_MS } });
  const searched = await readSearched(database, { tenant, repo }, DEADLINE_MS);
  const state = createSearchState();
  const chunks: Record<string, CapturedChunk> = {};
  const captured: CapturedQuery[] = [];
  for (const query of queries) {
    const scope = { tenant, repo, ...(query.within === undefined || query.within === "" ? {} : { path: `/${query.within}` }) };
    const parsed = parseQuery(query.text);
    const searching = { scope, query: parsed, conditions: compileConditions(parsed), ...searched, isDeep: false };
    const { bm25, exact, semantic } = await runLegs({ ...state, database, embedder, log: silentLog, deadlines: DEADLINES }, searching);
    const legs = { bm25: bm25.chunkIds, exact: exact.chunkIds, semantic: semantic.chunkIds };
    const chunkIds = [...new Set(Object.values(legs).flat())];
    const unknown = chunkIds.filter((id) => chunks[id] === undefined);
    const cosines = await readAs(database, tenant, DEADLINE_MS, async (transaction) => {
      const texts = new Map((await readContents(transaction, scope, unknown)).map((chunk) => [chunk.chunk_id, chunk.content]));
      const read = await readChunks(transaction, scope, chunkIds, { compared: semantic.compared, typesOf: "" });
      for (const { likeness: _likeness, ...chunk } of read) {
        chunks[chunk.chunk_id] ??= { ...chunk, content: texts.get(chunk.chunk_id) ?? "" };
      }
      return read.flatMap(({ chunk_id: id, likeness }) => (likeness === null ? [] : [[id, rounded(likeness)] as const]));
    });
    const { words } = bm25;
    captured.push({
      ...query,
      legs,
      contributions: Object.fromEntries(chunkIds.map((id) => [id, (words?.contributionsOf(id) ?? []).map(rounded)])),
      likeness: Object.fromEntries(cosines),
      weights: words?.weights ?? [],
      ripgrep: query.within === undefined ? await compare(query.text) : [],
    });
  }
  return { chunks, queries: captured };
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
