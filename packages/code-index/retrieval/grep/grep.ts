import { setImmediate as nextTurn } from "node:timers/promises";
import type { GrepAnswer, GrepRequest } from "#contract.ts";
import type { Access, RepositoryInScope, Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { readTexts, type FilePlace } from "./read-texts.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { askedScope, notesOnEmptyScope, notesOnLeftOut } from "#retrieval/scope/asked-scope.ts";
import { findCandidates, narrowByText } from "#retrieval/patterns/candidates.ts";
import { createSealedCursors, nameBuilds, type FoundPage } from "#retrieval/scope/page-cursor.ts";
import { createGrepPage, grepPositionSchema, type GrepPage } from "./grep-page.ts";
import { compilePattern, type Pattern } from "#retrieval/patterns/compile-pattern.ts";
import { isTimeout, readScope } from "#retrieval/scope/read-scope.ts";
import { listSome } from "#retrieval/scope/repository-errors.ts";
import { NAMED, notesOnIndex, presentIndex } from "#retrieval/search/search-answer.ts";
import { createSemaphore, type Semaphore } from "@sightline/foundation/semaphore";
import { inPortions, walkFiles } from "./walk-files.ts";

export type GrepDependencies = {
  readonly database: CodeIndexDatabase;
  /** Made once for each process, by `createGrepLimit`. */
  readonly limit: Semaphore;
  /** Milliseconds for filling the page, and for counting the matches beyond it. */
  readonly limits?: GrepLimits;
};

type GrepLimits = { readonly lookMs: number; readonly countMs: number };

export type FoundLines = FoundPage<GrepAnswer>;

const LIMITS: GrepLimits = { lookMs: 3_000, countMs: 200 };
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
  { database, limit, limits = LIMITS }: GrepDependencies,
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
    const leftOut = position === undefined ? await notesOnLeftOut(transaction, scope) : [];
    const now = performance.now();
    const times = { until: now + limits.lookMs, countUntil: now + limits.countMs };
    const looking = { scope, pattern, page, enough: request.limit * ENOUGH, from: position, ...times };
    try {
      await scanFiles(transaction, { ...looking, repos: builds.map(({ repo }) => repo) });
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
  readonly pattern: Pattern;
  readonly page: GrepPage;
  /** Chunks that hold a match among which those that fill the page are soon found. */
  readonly enough: number;
  readonly repos: readonly string[];
  readonly from: FilePlace | undefined;
  /** When to stop looking for what fills the page, and counting what it has no room for. */
  readonly until: number;
  readonly countUntil: number;
};

/** Times as many as a page has. */
const ENOUGH = 10;
/** Bytes of text read at once; it begins small, since a page is often full soon. */
const FIRST_BYTES = 64 * 1024;
const MAX_BYTES = 512 * 1024;

async function scanFiles(query: TenantQuery, { scope, pattern, page, enough, repos, from, until, countUntil }: Scanning): Promise<void> {
  const isOver = () => {
    const wanted = page.wants();
    return wanted === "nothing" || performance.now() > (wanted === "lines" ? until : countUntil);
  };
  let bytes = FIRST_BYTES;
  const candidates = await narrowByText(query, scope, {
    candidates: await findCandidates(query, scope, pattern),
    held: pattern.held,
    enough,
    until,
  });
  let isBegun = false;
  for await (const { files, upTo } of walkFiles(query, scope, { repos, from, candidates })) {
    // At least one batch is scanned, so that every page makes progress.
    if (isBegun && isOver()) {
      return;
    }
    isBegun = true;
    for (const portion of inPortions(files.filter(page.isWanted), () => bytes)) {
      const texts = await readTexts(query, scope, [...new Set(portion.map((file) => file.document_id))]);
      for (const file of portion) {
        await nextTurn();
        await page.add(file, texts.get(file.document_id) ?? "");
        if (isOver()) {
          return;
        }
      }
      bytes = Math.min(bytes * 2, MAX_BYTES);
    }
    if (upTo !== undefined) {
      page.pass(upTo);
    }
  }
  page.end();
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
