import { sql, type Selectable } from "kysely";
import type { RefsTable, RepositoriesTable } from "#schema.ts";
import { vectorsError, type Access } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

export type RefRow = Pick<
  Selectable<RefsTable>,
  "name" | "is_default" | "generation" | "indexed_commit" | "files" | "chunks" | "vectors_pending" | "vectors_error"
> & {
  /** As JSON has it. */
  readonly indexed_at: string | null;
  /** Pushes received that are not searchable yet. */
  readonly behind: number;
};

/** A registered repository, as its row, with its branches: the default one first, then by name. */
export type RepositoryRow = Selectable<RepositoriesTable> & { readonly refs: readonly RefRow[] };

type Listing = Access & {
  /** Repositories up to and with this name are left out. */
  readonly after?: string | undefined;
  readonly limit: number;
};

/** The repositories that may be seen, by name. */
export async function listRepositories(
  database: CodeIndexDatabase,
  { after, limit, ...access }: Listing,
): Promise<readonly RepositoryRow[]> {
  return selectRepositories(database, access)
    .$if(after !== undefined, (query) => query.where("full_name", ">", after ?? ""))
    .orderBy("full_name")
    .limit(limit)
    .execute();
}

export async function getRepository(
  database: CodeIndexDatabase,
  { id, ...access }: Access & { readonly id: string },
): Promise<RepositoryRow | undefined> {
  return selectRepositories(database, access).where("id", "=", id).executeTakeFirst();
}

function selectRepositories(database: CodeIndexDatabase, { tenant, repositories }: Access) {
  return database.query
    .selectFrom("codeindex.repositories")
    .selectAll("codeindex.repositories")
    .select(
      sql<readonly RefRow[]>`coalesce((
        select json_agg(json_build_object(
          'name', ref.name, 'is_default', ref.is_default, 'generation', ref.generation, 'indexed_commit', ref.indexed_commit,
          'indexed_at', ref.indexed_at, 'files', ref.files, 'chunks', ref.chunks, 'vectors_pending', ref.vectors_pending,
          'vectors_error', ${vectorsError({ tenant, repositories })}, 'behind', ref.pushes_received - ref.pushes_indexed
        ) order by not ref.is_default, ref.name)
        from codeindex.refs as ref where ref.repo_id = codeindex.repositories.id
      ), '[]')`.as("refs"),
    )
    .where("tenant_id", "=", tenant.tenantId)
    .where("deleting_at", "is", null)
    .$if(repositories !== undefined, (query) => query.where("id", "in", sql<string>`(select unnest(${repositories}::uuid[]))`));
}
