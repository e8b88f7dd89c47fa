import { sql } from "kysely";
import type { CommitsTable } from "#schema.ts";
import { packFirstParents, unpackFirstParents, type FirstParents } from "#store/index/first-parents.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import type { TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { visibleChanges, visibleCommits, visibleHistory } from "./read-commits.store.ts";

/** A commit's place among those of the branch. */
export async function positionOf(query: TenantQuery, scope: RepositoryScope, hash: string): Promise<number | undefined> {
  const { rows } = await sql<Pick<CommitsTable, "position">>`
    select commit.position from ${visibleCommits(scope)} where commit.commit = ${hash}
  `.execute(query);
  return rows[0]?.position;
}

const NONE = packFirstParents([], { first: 1, last: 0 });

/** The first parents of the commits that are kept of the branch. */
export async function readFirstParents(query: TenantQuery, scope: RepositoryScope): Promise<FirstParents> {
  const { rows } = await sql<{ first_position: number; first_parents: Buffer | null }>`
    select history.first_position, history.first_parents from ${visibleHistory(scope)}
  `.execute(query);
  const [history] = rows;
  return unpackFirstParents(history?.first_parents ?? NONE, history?.first_position ?? 0);
}

type ChangesAt = { readonly positions: readonly number[]; readonly limit: number };

/** The names of files that commits changed. */
export async function changesAt(query: TenantQuery, scope: RepositoryScope, { positions, limit }: ChangesAt): Promise<readonly string[]> {
  const { rows } = await sql<{ path: string }>`
    select change.path from ${visibleChanges(scope)}
    where change.position = any(${positions}::integer[]) limit ${limit}
  `.execute(query);
  return rows.map(({ path }) => path);
}
