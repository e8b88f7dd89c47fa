import { isAlike, isAlikeAny } from "@sightline/foundation/database/fold-case";
import { likeContaining } from "@sightline/foundation/patterns";
import { sql, type RawBuilder } from "kysely";
import type { CommitsTable } from "#schema.ts";
import { pathPatterns } from "#store/tenancy/like-patterns.ts";
import { visibleBuilds, type TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";

/** What is known of a branch's history; nothing is null before it was fetched. */
export type HistoryRow = {
  readonly newest: string | null;
  readonly commits: number;
  readonly complete: boolean;
  readonly first_position: number;
  readonly fetched_at: Date | null;
  readonly last_error: string | null;
};

export type CommitRow = Omit<CommitsTable, "repo_id" | "ref" | "terms" | "subject_terms" | "moved_to" | "moved_from" | "changes_total"> & {
  readonly repo: string;
};

export async function findHistory(query: TenantQuery, scope: RepositoryScope): Promise<HistoryRow | undefined> {
  const { rows } = await sql<HistoryRow>`
    select history.commit as newest, history.commits, history.complete, history.first_position, history.fetched_at, history.last_error
    from ${visibleHistory(scope)}
  `.execute(query);
  return rows[0];
}

/** Commits that changed more paths than are kept. */
export async function countCrowded(query: TenantQuery, scope: RepositoryScope): Promise<number> {
  const { rows } = await sql<{ crowded: number }>`
    select count(*) as crowded from ${visibleCommits(scope)} where commit.paths_total > cardinality(commit.paths)
  `.execute(query);
  return rows[0]?.crowded ?? 0;
}

/** A name that a file had, in commits up to a position. */
export type NameOfFile = { readonly name: string; readonly upTo: number };

/** Commits that changed one of these. */
export type ChangedPath =
  | { readonly is: "file"; readonly names: readonly NameOfFile[] }
  | { readonly is: "folder" | "part"; readonly path: string };

export type CommitFilter = {
  readonly path?: ChangedPath | undefined;
  readonly author?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
};

/** The commits that a filter lets through, the newest first, up to `limit`; those below a position. */
export async function listCommits(
  query: TenantQuery,
  scope: RepositoryScope,
  filter: CommitFilter,
  { below, limit }: { readonly below?: number | undefined; readonly limit: number },
): Promise<readonly CommitRow[]> {
  const isAsked = sql`${matches(filter)} and ${below === undefined ? sql`true` : sql`commit.position < ${below}`}`;
  const { rows } = await sql<CommitRow>`
    select ${commitColumns} from ${newestOf(scope, isAsked, limit)} order by commit.position desc
  `.execute(query);
  return rows;
}

export async function commitsAt(query: TenantQuery, scope: RepositoryScope, positions: readonly number[]): Promise<readonly CommitRow[]> {
  const { rows } = await sql<CommitRow>`
    select ${commitColumns} from ${visibleCommits(scope)} where commit.position = any(${positions}::integer[])
  `.execute(query);
  return rows;
}

export type MatchingCommit = {
  readonly position: number;
  /** The query's terms that its message holds. */
  readonly found: readonly string[];
  /** The number of different terms in its message. */
  readonly terms: number;
  readonly subject: string;
  /** Whether the question stands in it letter for letter, in either case. */
  readonly in_subject: boolean;
  readonly in_body: boolean;
};

/** Commits of a word that are counted one by one; how many there are of a more common one is estimated from how close they stand. */
const MAX_COUNTED = 2_000;

/** How many commits that a filter lets through have one of a word's terms, for each word. */
export async function countHolders(
  query: TenantQuery,
  scope: RepositoryScope,
  filter: CommitFilter,
  words: readonly (readonly string[])[],
): Promise<readonly number[]> {
  const counts = words.map((terms, word) => {
    const holders = newestOf(scope, sql`${matches(filter)} and commit.terms && ${terms}::text[]`, MAX_COUNTED);
    return sql`
      select ${word}::integer as word, (count(*) * case when count(*) < ${MAX_COUNTED} then 1
        else (max(history.last_position) - max(history.first_position) + 1.0) / (max(history.last_position) - min(commit.position) + 1) end)::float8 as holders
      from ${holders}`;
  });
  const { rows } = await sql<{ holders: number }>`${sql.join(counts, sql` union all `)} order by word`.execute(query);
  return rows.map(({ holders }) => holders);
}

/** Either terms, one of which the message must have, or the literal. */
type Sought = {
  readonly terms: readonly string[];
  readonly literal: string;
  readonly by: readonly string[] | "literal";
  readonly limit: number;
};

/** The newest commits that a filter lets through whose message has what is sought. */
export async function matchCommits(
  query: TenantQuery,
  scope: RepositoryScope,
  filter: CommitFilter,
  { terms, literal, by, limit }: Sought,
): Promise<readonly MatchingCommit[]> {
  const has = (column: RawBuilder<unknown>) => isAlike(column, likeContaining(literal));
  const isSought = by === "literal" ? sql`(${has(sql`commit.subject`)} or ${has(sql`commit.body`)})` : sql`commit.terms && ${by}::text[]`;
  const { rows } = await sql<MatchingCommit>`
    select commit.position, array(select term from unnest(${terms}::text[]) as term where term = any(commit.terms)) as found,
      cardinality(commit.terms) as terms, commit.subject, ${has(sql`commit.subject`)} as in_subject, ${has(sql`commit.body`)} as in_body
    from ${newestOf(scope, sql`${matches(filter)} and ${isSought}`, limit)}
  `.execute(query);
  return rows;
}

/** Whether a path is, or was, one of a file or of a folder. */
export async function kindOfPath(query: TenantQuery, scope: RepositoryScope, path: string): Promise<"file" | "folder" | "part"> {
  const folder = `${path}/`;
  // A list without a column is one that Citus can't carry to another node.
  const { rows } = await sql<{ kind: "file" | "folder" | "part" }>`
    select case
      when exists (select 1 from ${filesOf(scope)} where file.path = ${path})
        or exists (select 1 from ${visibleCommits(scope)} where commit.paths @> ${[path]}::text[]) then 'file'
      when exists (select 1 from ${filesOf(scope)} where starts_with(file.path, ${folder}))
        or exists (select 1 from ${visibleChanges(scope)} where starts_with(change.path, ${folder})) then 'folder'
      else 'part' end as kind
  `.execute(query);
  return rows[0]?.kind ?? "part";
}

/** The name a file had before its newest move up to a position. */
export async function findMove(query: TenantQuery, scope: RepositoryScope, { name, upTo }: NameOfFile): Promise<NameOfFile | undefined> {
  const isMove = sql`commit.paths @> ${[name]}::text[] and commit.moved_to @> ${[name]}::text[] and commit.position <= ${upTo}`;
  const { rows } = await sql<NameOfFile>`
    select commit.moved_from[array_position(commit.moved_to, ${name}::text)] as name, commit.position as "upTo" from ${newestOf(scope, isMove, 1)}
  `.execute(query);
  return rows[0];
}

const commitColumns = sql`
  build.repo, commit.position, commit.commit, commit.parents, commit.author, commit.author_email, commit.authored_at, commit.committed_at,
  commit.subject, commit.body, commit.paths, commit.paths_total
`;

/** The one build asked for is found first (`offset 0` sees to that), and not the commits of all repositories. */
function buildOf(scope: RepositoryScope): RawBuilder<unknown> {
  return sql`(select * from ${visibleBuilds(scope)} as visible offset 0) as build`;
}

export function visibleHistory(scope: RepositoryScope): RawBuilder<unknown> {
  return sql`${buildOf(scope)}
    join ${sql.id(scope.tenant.schema, "histories")} as history on history.repo_id = build.id and history.ref = build.ref`;
}

/** Not still being written. Each reader has a narrower condition; by `+ 0` no index is read for this one beside it. */
function isSeen(alias: "commit" | "change"): RawBuilder<unknown> {
  return sql`${sql.ref(`${alias}.position`)} + 0 between history.first_position and history.last_position`;
}

/** The commits of the branch that are seen. */
export function visibleCommits(scope: RepositoryScope): RawBuilder<unknown> {
  return sql`${visibleHistory(scope)}
    join ${sql.id(scope.tenant.schema, "commits")} as commit on commit.repo_id = history.repo_id and commit.ref = history.ref
      and ${isSeen("commit")}`;
}

/** The newest commits of which a condition is true: a sub-select for each branch, which reads no more of the index than it needs. */
function newestOf(scope: RepositoryScope, condition: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
  return sql`${visibleHistory(scope)} cross join lateral (
    select * from ${sql.id(scope.tenant.schema, "commits")} as commit
    where commit.repo_id = history.repo_id and commit.ref = history.ref
      and commit.position between history.first_position and history.last_position and ${condition}
    order by commit.position desc limit ${limit}
  ) as commit`;
}

/** What the commits that are seen changed; no join with them, which a database that has no statistics yet may make row by row. */
export function visibleChanges(scope: RepositoryScope): RawBuilder<unknown> {
  return sql`${visibleHistory(scope)}
    join ${sql.id(scope.tenant.schema, "changes")} as change on change.repo_id = history.repo_id and change.ref = history.ref
      and ${isSeen("change")}`;
}

function filesOf(scope: RepositoryScope): RawBuilder<unknown> {
  return sql`${buildOf(scope)} join ${sql.id(scope.tenant.schema, "files")} as file on file.generation = build.generation`;
}

function matches({ path, author, since, until }: CommitFilter): RawBuilder<unknown> {
  const conditions = [
    path === undefined ? sql`true` : changes(path),
    author === undefined ? sql`true` : isAlike(sql`(commit.author || ' <' || commit.author_email || '>')`, likeContaining(author)),
    since === undefined ? sql`true` : sql`commit.committed_at >= ${since}`,
    until === undefined ? sql`true` : sql`commit.committed_at <= ${until}`,
  ];
  return sql`(${sql.join(conditions, sql` and `)})`;
}

function changes(path: ChangedPath): RawBuilder<unknown> {
  if (path.is === "file") {
    const named = path.names.map(({ name, upTo }) => sql`(commit.paths @> ${[name]}::text[] and commit.position <= ${upTo})`);
    return sql`(${sql.join(named, sql` or `)})`;
  }
  return path.is === "folder" ? changesFolder(path.path) : changesAny(isAlikeAny(sql`path`, pathPatterns(path.path)));
}

function changesFolder(path: string): RawBuilder<unknown> {
  return changesAny(sql`starts_with(path, ${`${path}/`})`);
}

function changesAny(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (select from unnest(commit.paths) as path where ${condition})`;
}
