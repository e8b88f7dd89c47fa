import { foldCase } from "@sightline/foundation/database/fold-case";
import { sql, type Kysely } from "kysely";
import { v7 as newId } from "uuid";
import type { CodeIndexTables } from "#schema.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** A repository as far as a push to it, or a look at its host, is concerned. */
export type WatchedRepository = {
  readonly id: string;
  readonly tenant_id: string;
  readonly full_name: string;
  readonly clone_url: string;
  readonly default_branch: string | null;
  /** Branches that are indexed beside the default one. */
  readonly branches: readonly string[];
  readonly sealed_webhook_secret: string | null;
  /** Whether anybody ever asked for an index of it: it may be registered only to look at the preview. */
  readonly wanted: boolean;
};

type Naming = { readonly names: readonly string[]; readonly addresses: readonly string[] };

/** Tenants that may register the same repository and be told of a push to it. */
const MAX_REPOSITORIES = 500;

/** The repositories that have one of these names (in lower case) or addresses; several tenants may have registered one. */
export async function findPushedRepositories(
  database: CodeIndexDatabase,
  { names, addresses }: Naming,
): Promise<readonly WatchedRepository[]> {
  const { rows } = await sql<WatchedRepository>`
    select ${watchedColumns}
    from codeindex.repositories as repository join codeindex.tenants as tenant using (tenant_id)
    where (${foldCase(sql.ref("repository.full_name"))} = any(${names}::text[]) or repository.address = any(${addresses}::text[]))
      and repository.deleting_at is null and tenant.deleting_at is null
    order by repository.id
    limit ${MAX_REPOSITORIES}
  `.execute(database.query);
  return rows;
}

/** The columns of a watched repository, read from the alias `repository`. */
export const watchedColumns = sql`
  repository.id, repository.tenant_id, repository.full_name, repository.clone_url, repository.default_branch, repository.branches,
  repository.sealed_webhook_secret,
  (repository.index_status <> 'pending' or exists (
    select from codeindex.index_jobs as job where job.repo_id = repository.id
  )) as wanted
`;

type CountedPush = {
  readonly repository: Pick<WatchedRepository, "id" | "tenant_id">;
  readonly branch: string;
  readonly isDefault: boolean;
  readonly commit: string | null;
};

/** Counts a push to a branch; the searches are behind by it until an index of the branch holds it. */
export async function countPush(query: Kysely<CodeIndexTables>, { repository, branch, isDefault, commit }: CountedPush): Promise<void> {
  await sql`
    insert into codeindex.refs as ref (ref_id, repo_id, tenant_id, name, is_default, pushes_received, head_commit)
    values (
      ${newId()}, ${repository.id}, ${repository.tenant_id}, ${branch},
      ${isDefault} and not exists (select from codeindex.refs as other where other.repo_id = ${repository.id} and other.is_default),
      1, ${commit}
    )
    on conflict (repo_id, name) do update set
      pushes_received = ref.pushes_received + 1, head_commit = coalesce(excluded.head_commit, ref.head_commit)
  `.execute(query);
}

/** Shows what an admin has to know about a repository, until a job succeeds. */
export async function noteProblem(
  query: Kysely<CodeIndexTables>,
  { id, tenantId, problem }: { readonly id: string; readonly tenantId: string; readonly problem: string },
): Promise<void> {
  await query
    .updateTable("codeindex.repositories")
    .set({ last_error: problem })
    .where("id", "=", id)
    .where("tenant_id", "=", tenantId)
    .execute();
}

type Unwanted = { readonly repoId: string; readonly tenantId: string; readonly names: readonly string[] };

/** Takes branches out of the searches that are neither the default one nor asked for; a sweep deletes what they held. */
export async function dropUnwantedBranches(database: CodeIndexDatabase, { repoId, tenantId, names }: Unwanted): Promise<void> {
  await sql`
    delete from codeindex.refs as ref using codeindex.repositories as repository
    where ref.repo_id = ${repoId} and ref.tenant_id = ${tenantId} and ref.name = any(${names}::text[]) and not ref.is_default
      and repository.id = ref.repo_id and ref.name <> all(repository.branches) and ref.name is distinct from repository.default_branch
      and not exists (
        select from codeindex.index_jobs as job where job.repo_id = ref.repo_id and job.status in ('queued', 'running')
      )
  `.execute(database.query);
}

/** A repository that deliveries are replayed for; `undefined` when the tenant has none of this id, or is deleting it. */
export async function findWatchedRepository(
  database: CodeIndexDatabase,
  { id, tenantId }: { readonly id: string; readonly tenantId: string },
): Promise<WatchedRepository | undefined> {
  const { rows } = await sql<WatchedRepository>`
    select ${watchedColumns} from codeindex.repositories as repository
    where repository.id = ${id} and repository.tenant_id = ${tenantId} and repository.deleting_at is null
  `.execute(database.query);
  return rows[0];
}
