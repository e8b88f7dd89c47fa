import { mapLegs, type FileKind } from "#contract.ts";
import { readAs } from "#store/tenancy/tenant.ts";
import { listChunks, readChunks, readContents } from "#retrieval/scope/read-chunks.store.ts";
import { areVisible } from "#retrieval/scope/read-postings.store.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { Candidate } from "#retrieval/ranking/candidate.ts";
import { findFileKind } from "#retrieval/ranking/file-kind.ts";
import { typeAskedFor } from "#retrieval/ranking/find-definition.ts";
import { fuse, type FusedChunk } from "#retrieval/ranking/fuse.ts";
import { readSearchable, READ_MS } from "#retrieval/scope/read-searchable.ts";
import { keepMeeting } from "#retrieval/patterns/match-conditions.ts";
import { foldByFile, rank, type RankedChunk, type ReadTexts, type Texts } from "#retrieval/ranking/rank.ts";
import { MAX_RERANKED } from "#retrieval/ranking/rerank.ts";
import { isBroken, isFull, runLegs, skipAll, type Legs, type SearchDependencies, type Searching } from "./search-legs.ts";

/** What to find, and which places of the ranking the page shows. */
export type Finding = Searching & {
  readonly page: { readonly from: number; readonly to: number };
  /** Only places in files of this kind are kept of those that are ranked. */
  readonly kind?: FileKind | undefined;
  /** Whether the places of a file are one result. */
  readonly folds: boolean;
};

export type Found = {
  readonly legs: Legs;
  readonly ranked: readonly RankedChunk[];
  /** The same, whatever kind was asked for. */
  readonly ofAllKinds: readonly RankedChunk[];
  /** The texts of the chunks on the page, and of all that a model may rerank. */
  readonly texts: Texts;
  /** More may be found that meets the conditions. */
  readonly isPartial: boolean;
  /** More was found than is ranked. */
  readonly isCapped: boolean;
};

/** How many chunks are ranked. */
const CANDIDATES = 200;
/** With fewer results that meet the conditions, more candidates are checked. */
const ENOUGH = 100;
/** How many chunks are checked then, and for how long. */
const DEEP_CANDIDATES = 6_000;
const CHECK_MS = 1_000;

/**
 * The places that answer a query, in order.
 *
 * @throws {AppError} as `runLegs` and `readSearchable`.
 */
export async function findChunks(dependencies: SearchDependencies, finding: Finding): Promise<Found> {
  const { query, conditions, isDeep } = finding;
  if (query.text === "" && conditions?.hasPositive !== true) {
    return browse(dependencies, finding);
  }
  const found = await findOnce(dependencies, finding);
  const isShort = conditions !== undefined && found.isCapped && found.ofAllKinds.length < ENOUGH;
  return isShort && !isDeep && !isBroken(found.legs)
    ? findChunks(dependencies, { ...finding, isDeep: true })
    : { ...found, isPartial: isShort };
}

/** A query of nothing but filters and exclusions lists what they let through. */
async function browse(dependencies: SearchDependencies, finding: Finding): Promise<Found> {
  const { scope, query, conditions } = finding;
  const limit = conditions === undefined ? CANDIDATES : DEEP_CANDIDATES;
  const everyChunk = conditions !== undefined || query.filters.some(({ field }) => field === "symbol");
  return readAs(dependencies.database, scope.tenant, READ_MS, async (transaction) => {
    const readTexts = createTextReader(transaction, scope);
    const listed = await listChunks(transaction, scope, { limit, everyChunk });
    const { kept, isComplete } = await keepThoseMeeting(readTexts, listed, finding);
    const best = kept.slice(0, CANDIDATES);
    const chunks = new Map((await readChunks(transaction, scope, best)).map((chunk) => [chunk.chunk_id, chunk]));
    const ofAllKinds = best.flatMap((chunkId) => {
      const chunk = chunks.get(chunkId);
      return chunk === undefined ? [] : [{ ...chunk, score: 0, fused: 0, explain: () => ({}), matchedCommitTerms: [], ranks: {} }];
    });
    const ranked = wanted(ofAllKinds, finding);
    const isCapped = listed.length === limit || !isComplete || kept.length > CANDIDATES;
    return {
      legs: skipAll("the query has nothing but filters"),
      ranked,
      ofAllKinds,
      texts: await readTexts(shownOf(ranked, dependencies, finding)),
      isCapped,
      isPartial: isCapped && conditions !== undefined && kept.length < ENOUGH,
    };
  });
}

async function findOnce(dependencies: SearchDependencies, given: Finding, again = true): Promise<Omit<Found, "isPartial">> {
  const finding = again ? given : { ...given, ...(await readSearchable(dependencies.database, given.scope)) };
  const { query, conditions, isDeep } = finding;
  const legs = await runLegs(dependencies, finding);
  const all = fuse(
    mapLegs(legs, ({ chunkIds }) => chunkIds),
    query.shape,
  );
  const fused = all.slice(0, isDeep ? DEEP_CANDIDATES : CANDIDATES * (conditions === undefined ? 1 : 2));
  const { isAllThere, isComplete, ...found } = await readRanked(dependencies, finding, { fused, legs });
  // A newer build or merged segments replaced what was searched: search again, there.
  if (again && !isAllThere) {
    return findOnce(dependencies, given, false);
  }
  // Conditions that say what to find are answered by the exact leg alone, others by what the words find.
  const hasAll = isComplete && legs.exact.isComplete === true;
  const mayLack = (conditions !== undefined && (conditions.hasPositive || isBroken(legs))) || isFull(legs, finding);
  return { legs, ...found, isCapped: !hasAll && (all.length > fused.length || !isComplete || mayLack) };
}

type Fused = { readonly fused: readonly FusedChunk[]; readonly legs: Legs };

type ReadRanked = Pick<Found, "ranked" | "ofAllKinds" | "texts"> & {
  /** Whether all that was searched is still visible; what no build sees any more may be deleted at any moment. */
  readonly isAllThere: boolean;
  /** Whether all of it was held against the conditions, and what meets them is ranked. */
  readonly isComplete: boolean;
};

/** What was found, read at one moment; the texts only of those that are looked into or shown. */
function readRanked(dependencies: SearchDependencies, finding: Finding, { fused, legs }: Fused): Promise<ReadRanked> {
  const { scope, query, segments } = finding;
  const { compared } = legs.semantic;
  return readAs(dependencies.database, scope.tenant, READ_MS, async (transaction) => {
    const readTexts = createTextReader(transaction, scope);
    const chunkIds = fused.map((chunk) => chunk.chunkId);
    const searched = segments.map(({ segmentId }) => segmentId);
    const chunks = new Map(
      (chunkIds.length === 0
        ? []
        : await readChunks(transaction, scope, chunkIds, { compared, typesOf: typeAskedFor(query), segments: searched })
      ).map((chunk) => [chunk.chunk_id, chunk]),
    );
    const { kept, isComplete } = await keepThoseMeeting(readTexts, chunkIds, finding);
    const byId = new Map(fused.map((chunk) => [chunk.chunkId, chunk]));
    const { words } = legs.bm25;
    const best = kept.slice(0, CANDIDATES);
    const candidates = best.flatMap((chunkId): readonly Candidate[] => {
      const [found, chunk] = [byId.get(chunkId), chunks.get(chunkId)];
      return found === undefined || chunk === undefined
        ? []
        : [
            {
              fused: found,
              chunk,
              contributions: words?.contributionsOf(chunkId) ?? [],
              likeness: chunk.likeness ?? undefined,
              subjectWords: chunk.subject_words ?? "",
            },
          ];
    });
    const ofAllKinds =
      candidates.length === 0
        ? []
        : await rank(candidates, { query, termWeights: words?.weights ?? [], usesModel: dependencies.usesModel, readTexts });
    const ranked = wanted(ofAllKinds, finding);
    return {
      ranked,
      ofAllKinds,
      texts: await readTexts(shownOf(ranked, dependencies, finding)),
      isComplete: isComplete && kept.length <= CANDIDATES,
      isAllThere:
        chunks.size === fused.length &&
        (chunkIds[0] === undefined ? await areVisible(transaction, scope, searched) : chunks.get(chunkIds[0])?.seen === searched.length),
    };
  });
}

/** Reads each text once, and gives all that were read. */
function createTextReader(transaction: TenantQuery, scope: Scope): ReadTexts {
  const texts = new Map<number, string>();
  return async (chunkIds) => {
    const unread = chunkIds.filter((chunkId) => !texts.has(chunkId));
    if (unread.length > 0) {
      (await readContents(transaction, scope, unread)).forEach(({ chunk_id: chunkId, content }) => texts.set(chunkId, content));
    }
    return texts;
  };
}

type Kept = { readonly kept: readonly number[]; readonly isComplete: boolean };

async function keepThoseMeeting(readTexts: ReadTexts, chunkIds: readonly number[], { conditions }: Finding): Promise<Kept> {
  if (conditions === undefined) {
    return { kept: chunkIds, isComplete: true };
  }
  const texts = await readTexts(chunkIds);
  const read = chunkIds.flatMap((chunkId) => {
    const content = texts.get(chunkId);
    return content === undefined ? [] : [{ chunkId, content }];
  });
  const { kept, isComplete } = await keepMeeting(read, conditions, performance.now() + CHECK_MS);
  return { kept: kept.map(({ chunkId }) => chunkId), isComplete };
}

function wanted(ranked: readonly RankedChunk[], { kind, folds }: Finding): readonly RankedChunk[] {
  const ofKind = kind === undefined ? ranked : ranked.filter(({ path }) => findFileKind(path) === kind);
  return folds ? foldByFile(ofKind) : ofKind;
}

function shownOf(ranked: readonly RankedChunk[], { reranker }: SearchDependencies, { page }: Finding): readonly number[] {
  const shown = [...(reranker === undefined ? [] : ranked.slice(0, MAX_RERANKED)), ...ranked.slice(page.from, page.to)];
  return shown.map((chunk) => chunk.chunk_id);
}
