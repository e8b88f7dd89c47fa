import type { GrepAnswer, GrepRequest } from "#contract.ts";
import type { Access, RepositoryInScope, Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { readParts, readTexts, type ChunkedFile, type FilePart, type FilePlace } from "./read-texts.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { askedScope, notesOnEmptyScope, notesOnLeftOut } from "#retrieval/scope/asked-scope.ts";
import { findCandidates, narrowByText, type Candidates } from "#retrieval/patterns/candidates.ts";
import { createSealedCursors, dateBuilds, digest, nameBuilds, type FoundPage } from "#retrieval/scope/page-cursor.ts";
import { createGrepPage, grepPositionSchema, type GrepPage } from "./grep-page.ts";
import { compilePattern, type Pattern } from "#retrieval/patterns/compile-pattern.ts";
import { isTimeout, readScope } from "#retrieval/scope/read-scope.ts";
import { listSome } from "#retrieval/scope/repository-errors.ts";
import { NAMED, notesOnIndex, presentIndex } from "#retrieval/search/search-answer.ts";
import { createSemaphore, type Semaphore } from "@sightline/foundation/semaphore";
import { yieldEvery } from "@sightline/foundation/yield-every";
import type { IndexMemory } from "#retrieval/scope/index-memory.ts";
import { inPortions, walkFiles } from "./walk-files.ts";

export type GrepDependencies = {
  readonly database: CodeIndexDatabase;
  readonly memory: IndexMemory;
  /** Made once for each process, by `createGrepLimit`. */
  readonly limit: Semaphore;
  /** Milliseconds for filling the page, and for counting the matches beyond it. */
  readonly limits?: GrepLimits;
};

type GrepLimits = { readonly lookMs: number; readonly countMs: number };

export type FoundLines = FoundPage<GrepAnswer>;

const LIMITS: GrepLimits = { lookMs: 3_000, countMs: 25 };
/** A single statement that takes longer is given up. */
const STATEMENT_MS = 5_000;

/** The limit that all greps of a process share: three of a tenant at once, since each holds a connection for seconds that searches need, too. */
export function createGrepLimit(): Semaphore {
  return createSemaphore({ atOnce: 3, waitMs: 10_000 });
}

/**
 * Every line of a tenant's indexed files that matches a pattern, by repository, path and line, a page at a time. An answer that had to
 * stop early says so, and its cursor goes on.
 *
 * @throws {AppError} `invalid_pattern`, `invalid_query`, `invalid_cursor` (400), `repository_not_found` (404),
 * `repository_not_indexed`, `ref_not_indexed` (409),
 * `too_busy` (503) when too many run at once.
 */
export async function grep(
  { database, memory, limit, limits = LIMITS }: GrepDependencies,
  access: Access,
  request: GrepRequest,
): Promise<FoundLines> {
  const began = performance.now();
  const pattern = compilePattern({ source: request.pattern, isRegex: request.regex, isCaseSensitive: isCaseSensitive(request) });
  const cursors = cursorsOf(access, request);
  const position = cursors.read(request.cursor);
  const page = createGrepPage({ pattern, position, limit: request.limit, context: request.context });
  const scope = askedScope(access, request);
  const read: Parameters<typeof readScope<Searched>>[1] = async (transaction, builds) => {
    const leftOut = position === undefined ? await notesOnLeftOut(transaction, scope, { memory, builds }) : [];
    const now = performance.now();
    const times = { until: now + limits.lookMs, countMs: limits.countMs };
    const known = digest([
      access.tenant.tenantId,
      request.pattern,
      request.regex,
      request.case,
      scope.path,
      scope.lang,
      dateBuilds(builds),
    ]);
    const looking = { scope, memory, pattern, page, enough: request.limit * ENOUGH, from: position, ...times };
    try {
      await scanFiles(transaction, { ...looking, builds, known, isByChunk: !pattern.isMultiline && request.context === 0 });
    } catch (error) {
      // The database had no time for a statement: what the page has until then stands.
      if (database.signal?.aborted === true || !isTimeout(error)) {
        throw error;
      }
    }
    return {
      searched: builds,
      outside: [...(page.result().total === 0 ? await notesOnEmptyScope(transaction, scope) : []), ...leftOut],
    };
  };
  const { searched, outside } = await limit.run(access.tenant.tenantId, database.signal, () =>
    readScope({ database, scope, milliseconds: STATEMENT_MS }, read),
  );

  const { files, matches, total, isPartial, next, tooMuch, placeOf } = page.result();
  const builds = nameBuilds(searched);
  const hasChanged = position !== undefined && position.builds !== builds;
  return {
    files: [...files],
    matches,
    total: total === -1 ? null : total,
    partial: isPartial,
    ...(isPartial ? { reason: reasonOf(pattern, limits, searched) } : {}),
    notes: [
      ...(hasChanged ? ["What is indexed changed since the page before: lines may be missing, or be on both."] : []),
      ...(total === 0 && tooMuch.length === 0 ? notesOnNothing(request) : []),
      ...notesOnTooMuch(tooMuch),
      ...outside,
      ...notesOnIndex(searched, scope),
    ],
    next_cursor: next === undefined ? null : cursors.write({ ...next, total, builds }),
    cursorAfter: (shown) => cursors.write({ ...placeOf(shown), total, builds }),
    index: presentIndex(searched, files),
    ms: Math.round((performance.now() - began) * 10) / 10,
  };
}

function cursorsOf(access: Access, { pattern, regex, case: letters, repo, ref, path, lang }: GrepRequest) {
  return createSealedCursors(grepPositionSchema, { access, name: "pattern", question: [pattern, regex, letters, repo, ref, path, lang] });
}

type Searched = { readonly searched: readonly RepositoryInScope[]; readonly outside: readonly string[] };

function isCaseSensitive({ case: letters, pattern, regex }: GrepRequest): boolean {
  const said = regex ? pattern.replaceAll(/\\[pP]\{\w+\}|\\./g, "") : pattern;
  return letters === "sensitive" || (letters === "smart" && /\p{Lu}/u.test(said));
}

type Scanning = {
  readonly scope: Scope;
  readonly memory: IndexMemory;
  readonly pattern: Pattern;
  readonly page: GrepPage;
  /** Chunks that hold a match among which those that fill the page are soon found. */
  readonly enough: number;
  readonly builds: readonly RepositoryInScope[];
  readonly from: FilePlace | undefined;
  /** Names what is counted. */
  readonly known: string;
  /** Whether a line can be held against the pattern without what is around it. */
  readonly isByChunk: boolean;
  /** When to stop looking for what fills the page, and how long to count what it has no room for. */
  readonly until: number;
  readonly countMs: number;
};

/** Times as many as a page has. */
const ENOUGH = 10;
/** Bytes of text, and chunks, read at once; it begins small, since a page is often full soon. */
const FIRST_BYTES = 64 * 1024;
const MAX_BYTES = 512 * 1024;
const FIRST_CHUNKS = 150;
const MAX_CHUNKS = 2_000;
const MAX_BLOCKING_MS = 20;

/** Fills the page, then counts from where the count ended before. */
async function scanFiles(query: TenantQuery, scanning: Scanning): Promise<void> {
  const { scope, memory, pattern, page, enough, known, until, countMs } = scanning;
  const candidates = await narrowByText(query, scope, {
    candidates: await findCandidates(query, scope, { ...pattern, memory }),
    held: pattern.held,
    enough,
    until,
  });
  const filled = await addFiles(
    query,
    { ...scanning, candidates, isWanted: page.isWanted },
    () => page.isFull() || performance.now() > until,
  );
  if (!filled.isWhole && page.isFull() && page.total() === -1) {
    const own = { lines: page.counted(), upTo: filled.upTo };
    const before = memory.lineCounts.get(known) ?? own;
    const counted = before.lines > own.lines ? before : own;
    page.count(counted.lines);
    const countUntil = performance.now() + countMs;
    const { upTo: place } = counted;
    const isNext = ({ repo, path }: FilePlace) => repo !== place?.repo || path !== place.path;
    const rest =
      place === undefined
        ? { isWhole: true, upTo: undefined }
        : await addFiles(query, { ...scanning, candidates, from: place, isWanted: isNext }, () => performance.now() > countUntil);
    if (rest.isWhole) {
      page.end();
    }
    if (page.result().tooMuch.length === 0) {
      memory.lineCounts.set(known, { lines: page.counted(), upTo: rest.upTo });
    }
  }
}

type Adding = Omit<Scanning, "until" | "countMs"> & {
  readonly candidates: Candidates | undefined;
  readonly isWanted: (file: FilePlace) => boolean;
};

type Added = { readonly isWhole: boolean; readonly upTo: FilePlace | undefined };

/** Adds files to the page until it is over; one batch at least, so that every page makes progress. */
async function addFiles(query: TenantQuery, adding: Adding, isOver: () => boolean): Promise<Added> {
  const { scope, page, builds, from, candidates, isByChunk, isWanted } = adding;
  const read = isByChunk && candidates !== undefined ? readInParts : readWhole;
  const yieldToEventLoop = yieldEvery(MAX_BLOCKING_MS);
  let last = from;
  let isBegun = false;
  for await (const { files, upTo } of walkFiles(query, scope, { builds, from, candidates, atFirst: FIRST_CHUNKS })) {
    if (isBegun && isOver()) {
      return { isWhole: false, upTo: last };
    }
    isBegun = true;
    for await (const [file, parts] of read(query, adding, files.filter(isWanted))) {
      await yieldToEventLoop();
      await page.add(file, parts);
      last = file;
      if (isOver()) {
        return { isWhole: false, upTo: last };
      }
    }
    if (upTo !== undefined) {
      page.pass(upTo);
      last = upTo;
    }
  }
  page.end();
  return { isWhole: true, upTo: undefined };
}

type Read = AsyncGenerator<readonly [ChunkedFile, readonly FilePart[]]>;

async function* readWhole(query: TenantQuery, { scope }: Adding, files: readonly ChunkedFile[]): Read {
  let bytes = FIRST_BYTES;
  for (const portion of inPortions(
    files,
    (file) => file.bytes,
    () => bytes,
  )) {
    const texts = await readTexts(query, scope, [...new Set(portion.map((file) => file.document_id))]);
    for (const file of portion) {
      yield [file, [{ line: 0, text: texts.get(file.document_id) ?? "" }]];
    }
    bytes = Math.min(bytes * 2, MAX_BYTES);
  }
}

/** The candidates of the files alone, where no line is cut. */
async function* readInParts(query: TenantQuery, { scope, pattern }: Adding, files: readonly ChunkedFile[]): Read {
  let chunks = FIRST_CHUNKS;
  for (const portion of inPortions(
    files,
    (file) => file.chunk_ids.length,
    () => chunks,
  )) {
    const chunkIds = [...new Set(portion.flatMap((file) => file.chunk_ids))];
    const found = await readParts(query, scope, { chunkIds, held: pattern.held });
    const cut = [...found].flatMap(([id, { isWhole }]) => (isWhole ? [] : [id]));
    const texts = cut.length === 0 ? new Map<number, string>() : await readTexts(query, scope, cut);
    for (const file of portion) {
      const text = texts.get(file.document_id);
      yield [file, text === undefined ? (found.get(file.document_id)?.parts ?? []) : [{ line: 0, text }]];
    }
    chunks = Math.min(chunks * 2, MAX_CHUNKS);
  }
}

function reasonOf({ trigrams }: Pattern, { lookMs }: GrepLimits, searched: readonly RepositoryInScope[]): string {
  const advice = [
    ...(trigrams.kind === "any" ? ["add three characters in a row to the pattern"] : []),
    ...(searched.length > 1 ? ["name a repository"] : []),
    "name a path",
    "go on with next_cursor",
  ];
  return `Not everything was looked at within ${lookMs / 1_000} s: ${advice.join(", or ")}.`;
}

const REGEX_CHARACTERS = /[\\*+?[\]{}|^$]|\(.*\)/;

function notesOnNothing({ pattern, regex }: GrepRequest): readonly string[] {
  return !regex && REGEX_CHARACTERS.test(pattern)
    ? ["The pattern was looked for letter for letter; set regex to have it read as a regular expression."]
    : [];
}

function notesOnTooMuch(files: readonly string[]): readonly string[] {
  return files.length === 0
    ? []
    : [
        `These may hold a match, but are too large, or have too long lines, to say where with an expression as large as this one: ${listSome(files, NAMED)}.`,
      ];
}
