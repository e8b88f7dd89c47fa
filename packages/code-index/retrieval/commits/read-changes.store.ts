import { sql, type RawBuilder } from "kysely";
import type { ChangesTable, CommitsTable } from "#schema.ts";
import { packFirstParents, unpackFirstParents, type FirstParents } from "#store/index/first-parents.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import type { TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { visibleChanges, commitColumns, visibleCommits, visibleHistory, type CommitRow } from "./read-commits.store.ts";

export type FoundCommit = CommitRow & Pick<CommitsTable, "changes_total">;

/** The commits of a branch whose hash begins so, up to a few. */
export async function findCommits(query: TenantQuery, scope: RepositoryScope, beginning: string): Promise<readonly FoundCommit[]> {
  const { rows } = await sql<FoundCommit>`
    select ${commitColumns}, commit.changes_total from ${visibleCommits(scope)} where commit.commit like ${`${beginning}%`} order by commit.position desc limit 5
  `.execute(query);
  return rows;
}

const NONE = packFirstParents([], { first: 1, last: 0 });

/** The first parents of the commits that are kept of the branch, and the one that the history ends with. */
export async function readFirstParents(
  query: TenantQuery,
  scope: RepositoryScope,
): Promise<{ readonly firstParents: FirstParents; readonly newest: string; readonly tip: number | undefined }> {
  const { rows } = await sql<{ newest: string | null; tip: number | null; first_position: number; first_parents: Buffer | null }>`
    select history.commit as newest, history.first_position, history.first_parents,
      (select position from ${sql.id(scope.tenant.schema, "commits")} as commit
        where commit.repo_id = history.repo_id and commit.ref = history.ref and commit.commit = history.commit) as tip
    from ${visibleHistory(scope)}
  `.execute(query);
  const [history] = rows;
  return {
    firstParents: unpackFirstParents(history?.first_parents ?? NONE, history?.first_position ?? 0),
    newest: history?.newest ?? "",
    tip: history?.tip ?? undefined,
  };
}

/**
 * The parents of merges but for their first, as far as they are kept, in their order. Each is looked up by itself (`limit` sees to that):
 * without statistics a database may join all commits with all.
 */
export async function readOtherParents(
  query: TenantQuery,
  scope: RepositoryScope,
  positions: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const { rows } = await sql<{ position: number; parent: number }>`
    select commit.position, parent.position as parent from ${visibleCommits(scope)}
    cross join unnest(commit.parents[2:]) with ordinality as other(hash, place)
    cross join lateral (
      select position from ${sql.id(scope.tenant.schema, "commits")} as parent
      where parent.repo_id = history.repo_id and parent.ref = history.ref and parent.commit = other.hash limit 1
    ) as parent
    where commit.position = any(${positions}::integer[])
    order by commit.position, other.place
  `.execute(query);
  return new Map(
    [...Map.groupBy(rows, ({ position }) => position)].map(([position, found]) => [position, found.map(({ parent }) => parent)]),
  );
}

/** Which file was changed, how, and into what. */
export type ChangeRow = Pick<ChangesTable, "position" | "path" | "old_path" | "status" | "blob">;
export type PatchedChange = Omit<ChangesTable, "repo_id" | "ref">;

type ChangesAt = { readonly positions: readonly number[]; readonly path?: string | undefined; readonly limit: number };

/** Which files commits changed, of a file or folder or of all; by commit and path. */
export async function changesAt(
  query: TenantQuery,
  scope: RepositoryScope,
  { positions, path, limit }: ChangesAt,
): Promise<readonly ChangeRow[]> {
  const isUnder = (column: RawBuilder<unknown>) => sql`(${column} = ${path} or starts_with(${column}, ${`${path}/`}))`;
  const isAsked = path === undefined ? sql`true` : sql`(${isUnder(sql`change.path`)} or ${isUnder(sql`change.old_path`)})`;
  const { rows } = await sql<ChangeRow>`
    select change.position, change.path, change.old_path, change.status, change.blob from ${visibleChanges(scope)}
    where change.position = any(${positions}::integer[]) and ${isAsked}
    order by change.position, change.path collate "C" limit ${limit}
  `.execute(query);
  return rows;
}

/** All that is kept of changes. */
export async function readPatches(
  query: TenantQuery,
  scope: RepositoryScope,
  changes: readonly ChangeRow[],
): Promise<(change: ChangeRow) => PatchedChange | undefined> {
  const { rows } = await sql<PatchedChange>`
    select ${changeColumns} from ${visibleChanges(scope)}
    join unnest(${changes.map(({ position }) => position)}::integer[], ${changes.map(({ path }) => path)}::text[]) as wanted(position, path)
      on wanted.position = change.position and wanted.path = change.path
  `.execute(query);
  const changeKey = ({ position, path }: ChangeRow) => `${position} ${path}`;
  const patches = new Map(rows.map((row) => [changeKey(row), row]));
  return (change) => patches.get(changeKey(change));
}

/** What commits changed of files that have, or had before, one of these names. */
export async function changesOfNames(
  query: TenantQuery,
  scope: RepositoryScope,
  { names, limit }: { readonly names: readonly string[]; readonly limit: number },
): Promise<readonly PatchedChange[]> {
  const { rows } = await sql<PatchedChange>`
    select ${changeColumns} from ${visibleChanges(scope)}
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
