import { hashSchema, type Commit, type CommitsAnswer, type CommitsRequest } from "#contract.ts";
import {
  commitsAt,
  countCrowded,
  countHolders,
  findHistory,
  findMove,
  kindOfPath,
  listCommits,
  matchCommits,
  type ChangedPath,
  type CommitFilter,
  type CommitRow,
  type HistoryRow,
  type NameOfFile,
} from "./read-commits.store.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import type { RepositoryInScope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { refuseNul } from "#retrieval/query/refusals.ts";
import { createPaging, invalidCursor, type FoundPage, type Paging } from "#retrieval/scope/page-cursor.ts";
import { deciding, rankCommits, weighWords, wordsOfQuestion } from "./rank-commits.ts";
import { depthOf, endOf } from "./commit-limits.ts";
import { searchChanges } from "./search-changes.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";

const READ_MS = 8_000;
const PATHS = 100;
/** Names that a file is followed through. */
const NAMES = 10;

/**
 * Commits of a branch, the newest first, or by the words of a question.
 *
 * @throws {AppError} `invalid_query`, `invalid_cursor` (400), and as `readScope`.
 */
export async function searchCommits(
  database: CodeIndexDatabase,
  scope: RepositoryScope,
  request: CommitsRequest,
): Promise<FoundPage<CommitsAnswer>> {
  const began = performance.now();
  refuseNul([request.query, request.path, request.author, request.changed], "A NUL character is in no message, name or path.");
  if (request.changed !== undefined) {
    return searchChanges(database, scope, { ...request, changed: request.changed });
  }
  return readScope({ database, scope, milliseconds: READ_MS }, async (transaction, [build]) => {
    const history = await findHistory(transaction, scope);
    const filter = await filterOf(transaction, scope, request);
    const crowded = filter.path === undefined ? 0 : await countCrowded(transaction, scope);
    const { rows, next, cursorAfter, isCut } = await findPage(transaction, scope, { request, filter, history });
    return {
      repo: build?.repo ?? scope.repo,
      ref: build?.ref ?? "",
      commit: build?.commit ?? "",
      commits: rows.map((row) => presentCommit(row, filter.path)),
      depth: depthOf(history),
      path: describePath(filter.path),
      notes: notesOn({ request, history, build, crowded, isCut, found: rows.length }),
      next_cursor: next,
      ms: Math.round((performance.now() - began) * 10) / 10,
      cursorAfter,
    };
  });
}

type Page = {
  readonly rows: readonly CommitRow[];
  readonly next: string | null;
  readonly cursorAfter: (shown: number) => string;
  /** Whether more commits match than are ranked. */
  readonly isCut: boolean;
};

type Asking = { readonly request: CommitsRequest; readonly filter: CommitFilter; readonly history: HistoryRow | undefined };

async function findPage(query: TenantQuery, scope: RepositoryScope, asking: Asking): Promise<Page> {
  const { cursor: _cursor, limit: _limit, ...question } = asking.request;
  const words = wordsOfQuestion(question.query ?? "");
  const of = ["commits", scope.tenant.tenantId, scope.repo.toLowerCase(), question];
  // A list by age only grows at its top, so its cursors stay valid; ranks change with every push.
  return words === undefined
    ? pageByAge(query, scope, { ...asking, paging: createPaging(of) })
    : pageByRank(query, scope, { ...asking, words, paging: createPaging([...of, asking.history?.newest]) });
}

async function pageByAge(
  query: TenantQuery,
  scope: RepositoryScope,
  { request: { cursor, limit }, filter, history, paging }: Asking & { readonly paging: Paging },
): Promise<Page> {
  const below = cursor === undefined ? undefined : paging.shownBefore(cursor);
  if (below !== undefined && history !== undefined && below < history.first_position) {
    throw invalidCursor("The branch's history was rewritten since, or goes back less far now; start again without the cursor.");
  }
  const found = await listCommits(query, scope, filter, { below, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const after = (shown: number) => paging.cursorAfter(rows[shown - 1]?.position ?? 0);
  return { rows, next: found.length > rows.length ? after(rows.length) : null, cursorAfter: after, isCut: false };
}

type Ranked = Asking & { readonly paging: Paging; readonly words: NonNullable<ReturnType<typeof wordsOfQuestion>> };

async function pageByRank(query: TenantQuery, scope: RepositoryScope, { request, filter, history, words, paging }: Ranked): Promise<Page> {
  const before = paging.shownBefore(request.cursor);
  const { ranked, isCut } = await rankMatching(query, scope, { filter, history, words });
  const positions = ranked.slice(before, before + request.limit);
  const byPosition = new Map((await commitsAt(query, scope, positions)).map((row) => [row.position, row]));
  const shown = before + positions.length;
  return {
    rows: positions.flatMap((position) => byPosition.get(position) ?? []),
    next: shown < ranked.length ? paging.cursorAfter(shown) : null,
    cursorAfter: (count) => paging.cursorAfter(before + count),
    isCut,
  };
}

/** Commits that are ranked: of more, the newest. */
const MAX_RANKED = 2_000;

/** Commits with the words of a question, or, where there are none, with its letters. */
async function rankMatching(query: TenantQuery, scope: RepositoryScope, { filter, history, words }: Omit<Ranked, "request" | "paging">) {
  const holders = words.queryTerms.length === 0 ? [] : await countHolders(query, scope, filter, words.queryTerms);
  const weights = weighWords(holders, history?.commits ?? 0);
  for (const by of [deciding(words, weights), "literal"] as const) {
    const matching = by.length === 0 ? [] : await matchCommits(query, scope, filter, { ...words, by, limit: MAX_RANKED });
    const ranked = rankCommits(matching, { words, weights });
    if (ranked.length > 0) {
      return { ranked, isCut: matching.length === MAX_RANKED };
    }
  }
  return { ranked: [], isCut: false };
}

async function filterOf(query: TenantQuery, scope: RepositoryScope, request: CommitsRequest): Promise<CommitFilter> {
  const { author, since, until } = request;
  const path = request.path?.replace(/^\.?\/+/u, "").replace(/\/+$/u, "");
  return {
    path: path === undefined || path === "" ? undefined : await understandPath(query, scope, path),
    author: author === "" ? undefined : author?.trim(),
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : endOf(until),
  };
}

async function understandPath(query: TenantQuery, scope: RepositoryScope, path: string): Promise<ChangedPath> {
  const is = await kindOfPath(query, scope, path);
  if (is !== "file") {
    return { is, path };
  }
  const names: NameOfFile[] = [{ name: path, upTo: NEWEST }];
  for (let last = names.at(-1); last !== undefined && names.length < NAMES; last = names.at(-1)) {
    const move = await findMove(query, scope, last);
    if (move === undefined || names.some(({ name }) => name === move.name)) {
      break;
    }
    names.push(move);
  }
  return { is, names };
}

const NEWEST = 2_147_483_647;

function describePath(path: ChangedPath | undefined): CommitsAnswer["path"] {
  if (path === undefined) {
    return null;
  }
  return { is: path.is, names: path.is === "file" ? path.names.map(({ name }) => name) : [path.path] };
}

function presentCommit(
  { position: _position, paths, authored_at, committed_at, ...row }: CommitRow,
  changedPath: ChangedPath | undefined,
): Commit {
  return {
    ...row,
    parents: [...row.parents],
    authored_at: authored_at.toISOString(),
    committed_at: committed_at.toISOString(),
    paths: askedFirst(paths, changedPath).slice(0, PATHS),
  };
}

function askedFirst(paths: readonly string[], changedPath: ChangedPath | undefined): string[] {
  const isAsked =
    changedPath === undefined
      ? () => false
      : changedPath.is === "file"
        ? (path: string) => changedPath.names.some(({ name }) => name === path)
        : changedPath.is === "folder"
          ? (path: string) => path.startsWith(`${changedPath.path}/`)
          : (path: string) => path.toLowerCase().includes(changedPath.path.toLowerCase());
  return [...paths.filter(isAsked), ...paths.filter((path) => !isAsked(path))];
}

type Noted = {
  readonly request: CommitsRequest;
  readonly history: HistoryRow | undefined;
  readonly build: RepositoryInScope | undefined;
  readonly crowded: number;
  readonly isCut: boolean;
  readonly found: number;
};

function notesOn({ request, history, build, crowded, isCut, found }: Noted): string[] {
  const error = history?.last_error ?? null;
  const failed = error === null ? [] : [`The history could not be fetched when it was last tried: ${error}`];
  if (history === undefined || history.fetched_at === null) {
    return [
      `The history of ${build?.ref ?? "the branch"} has not been fetched yet; it follows within minutes after a branch is indexed, unless CODEINDEX_HISTORY_COMMITS is 0.`,
      ...failed,
    ];
  }
  const older = history.complete ? [] : [`Only the newest ${history.commits} commits are known; what is older is not in this answer.`];
  const cut =
    crowded === 0 ? [] : [`${crowded} commits change so many files that not all of their paths are known; they may be missing here.`];
  const behind =
    history.newest === build?.commit
      ? []
      : [`The history ends at ${history.newest ?? "nothing"}, while ${build?.commit ?? ""} is indexed; it follows.`];
  const ranked = isCut ? [`Of the commits with these words the newest ${MAX_RANKED} are ranked; add a rarer word.`] : [];
  return [...(found === 0 ? [`No commit matches.${hintOn(request)}`] : []), ...ranked, ...older, ...cut, ...behind, ...failed];
}

/** What was meant, where it is plain that nothing can match. */
function hintOn({ query = "", since, until }: CommitsRequest): string {
  if (hashSchema.safeParse(query.trim()).success) {
    return " Messages are searched; a commit is read by its hash.";
  }
  return since !== undefined && until !== undefined && new Date(since) > new Date(until) ? " The time ends before it begins." : "";
}
