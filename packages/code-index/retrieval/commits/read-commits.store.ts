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
    from ${historyOf(scope)}
  `.execute(query);
  return rows[0];
}

/** Commits that changed more paths than are kept. */
export async function countCrowded(query: TenantQuery, scope: RepositoryScope): Promise<number> {
  const { rows } = await sql<{ crowded: number }>`
    select count(*) as crowded from ${commitsOf(scope)} where commit.paths_total > cardinality(commit.paths)
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

/** The commits that a filter lets through, the newest first, up to `limit`: those below a position, or those at positions. */
export async function listCommits(
  query: TenantQuery,
  scope: RepositoryScope,
  filter: CommitFilter,
  { below, limit }: { readonly below?: number | undefined; readonly limit: number },
): Promise<readonly CommitRow[]> {
  const { rows } = await sql<CommitRow>`
    select ${commitColumns} from ${commitsOf(scope)}
    where ${matches(filter)} and ${below === undefined ? sql`true` : sql`commit.position < ${below}`}
    order by commit.position desc limit ${limit}
  `.execute(query);
  return rows;
}

export async function commitsAt(query: TenantQuery, scope: RepositoryScope, positions: readonly number[]): Promise<readonly CommitRow[]> {
  const { rows } = await sql<CommitRow>`
    select ${commitColumns} from ${commitsOf(scope)} where commit.position = any(${positions}::integer[])
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

type Words = { readonly terms: readonly string[]; readonly literal: string };

/** All commits that a filter lets through whose message has one of the terms or the literal. */
export async function matchCommits(
  query: TenantQuery,
  scope: RepositoryScope,
  filter: CommitFilter,
  { terms, literal }: Words,
): Promise<readonly MatchingCommit[]> {
  const pattern = likeContaining(literal);
  const { rows } = await sql<MatchingCommit>`
    select commit.position, array(select term from unnest(${terms}::text[]) as term where term = any(commit.terms)) as found,
      cardinality(commit.terms) as terms, commit.subject, commit.subject ilike ${pattern} as in_subject, commit.body ilike ${pattern} as in_body
    from ${commitsOf(scope)}
    where ${matches(filter)} and (commit.terms && ${terms}::text[] or commit.subject ilike ${pattern} or commit.body ilike ${pattern})
    order by commit.position desc
  `.execute(query);
  return rows;
}

/** Whether a path is, or was, one of a file or of a folder. */
export async function kindOfPath(query: TenantQuery, scope: RepositoryScope, path: string): Promise<"file" | "folder" | "part"> {
  const { rows } = await sql<{ is_file: boolean; is_folder: boolean }>`
    select
      exists (select from ${filesOf(scope)} where file.path = ${path})
        or exists (select from ${commitsOf(scope)} where commit.paths @> ${[path]}::text[]) as is_file,
      exists (select from ${filesOf(scope)} where starts_with(file.path, ${`${path}/`}))
        or exists (select from ${commitsOf(scope)} where ${changesFolder(path)}) as is_folder
  `.execute(query);
  const [kind] = rows;
  return kind?.is_file === true ? "file" : kind?.is_folder === true ? "folder" : "part";
}

/** The name a file had before its newest move up to a position. */
export async function findMove(query: TenantQuery, scope: RepositoryScope, { name, upTo }: NameOfFile): Promise<NameOfFile | undefined> {
  const { rows } = await sql<NameOfFile>`
    select commit.moved_from[array_position(commit.moved_to, ${name}::text)] as name, commit.position as "upTo"
    from ${commitsOf(scope)}
    where commit.moved_to @> ${[name]}::text[] and commit.position <= ${upTo}
    order by commit.position desc limit 1
  `.execute(query);
  return rows[0];
}

export const commitColumns = sql`
  build.repo, commit.position, commit.commit, commit.parents, commit.author, commit.author_email, commit.authored_at, commit.committed_at,
  commit.subject, commit.body, commit.paths, commit.paths_total
`;

/** The one build asked for is found first (`offset 0` sees to that), and not the commits of all repositories. */
function buildOf(scope: RepositoryScope): RawBuilder<unknown> {
  return sql`(select * from ${visibleBuilds(scope)} as visible offset 0) as build`;
}

export function historyOf(scope: RepositoryScope): RawBuilder<unknown> {
  return sql`${buildOf(scope)}
    join ${sql.id(scope.tenant.schema, "histories")} as history on history.repo_id = build.id and history.ref = build.ref`;
}

/** The commits of the branch that are not still being written. */
export function commitsOf(scope: RepositoryScope): RawBuilder<unknown> {
  return sql`${historyOf(scope)}
    join ${sql.id(scope.tenant.schema, "commits")} as commit on commit.repo_id = history.repo_id and commit.ref = history.ref
      and commit.position between history.first_position and history.last_position`;
}

function filesOf(scope: RepositoryScope): RawBuilder<unknown> {
  return sql`${buildOf(scope)} join ${sql.id(scope.tenant.schema, "files")} as file on file.generation = build.generation`;
}

function matches({ path, author, since, until }: CommitFilter): RawBuilder<unknown> {
  const conditions = [
    path === undefined ? sql`true` : changes(path),
    author === undefined ? sql`true` : sql`(commit.author || ' <' || commit.author_email || '>') ilike ${likeContaining(author)}`,
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
  return path.is === "folder" ? changesFolder(path.path) : changesAny(sql`path ilike any(${pathPatterns(path.path)}::text[])`);
}

function changesFolder(path: string): RawBuilder<unknown> {
  return changesAny(sql`starts_with(path, ${`${path}/`})`);
}

function changesAny(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (select from unnest(commit.paths) as path where ${condition})`;
}
