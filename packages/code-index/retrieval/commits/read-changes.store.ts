import { sql, type RawBuilder } from "kysely";
import type { ChangesTable, CommitsTable } from "#schema.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import type { TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { buildOf, commitColumns, commitsOf, type CommitRow } from "./read-commits.store.ts";

export type FoundCommit = CommitRow & Pick<CommitsTable, "changes_total">;

/** The commits of a branch whose hash begins so, up to a few. */
export async function findCommits(query: TenantQuery, scope: RepositoryScope, beginning: string): Promise<readonly FoundCommit[]> {
  const { rows } = await sql<FoundCommit>`
    select ${commitColumns}, commit.changes_total from ${commitsOf(scope)} where commit.commit like ${`${beginning}%`} order by commit.position desc limit 5
  `.execute(query);
  return rows;
}

export type CommitNode = Pick<CommitsTable, "position" | "commit" | "parents" | "changes_total">;

/** All commits that are kept of the branch. */
export async function listNodes(query: TenantQuery, scope: RepositoryScope): Promise<readonly CommitNode[]> {
  const { rows } = await sql<CommitNode>`
    select commit.position, commit.commit, commit.parents, commit.changes_total from ${commitsOf(scope)}
  `.execute(query);
  return rows;
}

export type ChangeRow = Omit<ChangesTable, "repo_id" | "ref">;

type ChangesAt = { readonly positions: readonly number[]; readonly path?: string | undefined; readonly limit: number };

/** What commits changed, of a file or folder or of all; by commit and path. */
export async function changesAt(
  query: TenantQuery,
  scope: RepositoryScope,
  { positions, path, limit }: ChangesAt,
): Promise<readonly ChangeRow[]> {
  const isUnder = (column: RawBuilder<unknown>) => sql`(${column} = ${path} or starts_with(${column}, ${`${path}/`}))`;
  const isAsked = path === undefined ? sql`true` : sql`(${isUnder(sql`change.path`)} or ${isUnder(sql`change.old_path`)})`;
  const { rows } = await sql<ChangeRow>`
    select ${changeColumns} from ${changesOf(scope)}
    where change.position = any(${positions}::integer[]) and ${isAsked}
    order by change.position, change.path collate "C" limit ${limit}
  `.execute(query);
  return rows;
}

/** What commits changed of files that have, or had before, one of these names. */
export async function changesOfNames(
  query: TenantQuery,
  scope: RepositoryScope,
  { names, limit }: { readonly names: readonly string[]; readonly limit: number },
): Promise<readonly ChangeRow[]> {
  const { rows } = await sql<ChangeRow>`
    select ${changeColumns} from ${changesOf(scope)}
    where change.path = any(${names}::text[]) or change.old_path = any(${names}::text[])
    order by change.position desc limit ${limit}
  `.execute(query);
  return rows;
}

/** git's id of the content that the index has of a file. */
export async function indexedBlob(
  query: TenantQuery,
  scope: RepositoryScope,
  { generation, path }: { readonly generation: number; readonly path: string },
): Promise<string | null> {
  const { rows } = await sql<{ blob: string }>`
    select blob from ${sql.id(scope.tenant.schema, "files")} where generation = ${generation} and path = ${path}
  `.execute(query);
  return rows[0]?.blob ?? null;
}

const changeColumns = sql`
  change.position, change.path, change.old_path, change.status, change.blob, change.added, change.deleted, change.patch, change.left_out
`;

/** Of the commits that are seen; without a join with them, which a database that has no statistics yet may make row by row. */
function changesOf(scope: RepositoryScope): RawBuilder<unknown> {
  const { schema } = scope.tenant;
  return sql`${buildOf(scope)}
    join ${sql.id(schema, "histories")} as history on history.repo_id = build.id and history.ref = build.ref
    join ${sql.id(schema, "changes")} as change on change.repo_id = history.repo_id and change.ref = history.ref
      and change.position between history.first_position and history.last_position`;
}
