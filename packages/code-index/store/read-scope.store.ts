import { sql, type Kysely, type RawBuilder } from "kysely";
import type { CodeIndexTables, IndexStatus } from "#schema.ts";
import type { Tenant } from "./tenant.ts";

/** Whose code may be seen. */
export type Access = {
  readonly tenant: Tenant;
  /** Ids of the repositories that may be seen; all of the tenant when left out. */
  readonly repositories?: readonly string[] | undefined;
};

/** And what of it was asked for. Every read of a tenant's tables takes one. */
export type Scope = Access & {
  /** `owner/repo` in either case, as the hosts take it; all repositories when left out. */
  readonly repo?: string | undefined;
  /** A branch; each repository's default one when left out. */
  readonly ref?: string | undefined;
  /** Part of a path, in either case; `*` stands for anything. */
  readonly path?: string | undefined;
  readonly lang?: string | undefined;
};

/** A repository in scope with the branch asked for; what is of the branch is null before its first build. */
export type RepositoryInScope = {
  readonly id: string;
  readonly repo: string;
  readonly index_status: IndexStatus;
  readonly last_error: string | null;
  readonly ref: string | null;
  readonly generation: number | null;
  readonly commit: string | null;
  readonly chunks: number | null;
  /** Of all branches and repositories of the tenant. */
  readonly tenant_chunks: number | null;
  readonly vectors_pending: number | null;
  readonly vectors_error: string | null;
};

/** A tenant's repositories at the most in one scope. */
const REPOSITORIES = 10_000;

export async function repositoriesInScope(query: Kysely<CodeIndexTables>, scope: Scope): Promise<readonly RepositoryInScope[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<RepositoryInScope>`
    select repository.id, repository.full_name as repo, repository.index_status, repository.last_error,
      ref.name as ref, ref.generation, ref.indexed_commit as commit, ref.chunks, ref.vectors_pending,
      ${vectorsError(scope)} as vectors_error,
      (select sum(chunks) from ${sql.id(schema, "refs")} where generation is not null) as tenant_chunks
    from ${sql.id(schema, "repositories")} as repository
    left join ${sql.id(schema, "refs")} as ref on ref.repo_id = repository.id and ${isRefOf(scope)}
    where ${isRepositoryOf(scope)}
    order by repository.full_name
    limit ${REPOSITORIES}
  `.execute(query);
  return rows;
}

/**
 * The builds that the scope lets be seen, with `id`, `repo`, `ref`, `generation` and `commit`: what every read of a
 * tenant's tables starts from, so that an asker's rights are checked in the statement that reads.
 */
export function visibleBuilds(scope: Scope): RawBuilder<unknown> {
  const { schema } = scope.tenant;
  return sql`(
    select repository.id, repository.full_name as repo, ref.name as ref, ref.generation, ref.indexed_commit as commit
    from ${sql.id(schema, "repositories")} as repository
    join ${sql.id(schema, "refs")} as ref on ref.repo_id = repository.id and ${isRefOf(scope)}
    where ref.generation is not null and ${isRepositoryOf(scope)}
  )`;
}

/**
 * True when a build that the scope lets be seen holds the document of the chunk, whose alias is `chunk`. Asked chunk by
 * chunk (`offset 0` sees to that): for the few that another condition finds by an index.
 */
export function isVisible(scope: Scope): RawBuilder<unknown> {
  return sql`exists (
    select from ${sql.id(scope.tenant.schema, "files")} as file
    where file.document_id = chunk.document_id
      and file.generation = any(array(select generation from ${visibleBuilds(scope)} as build))
    offset 0
  )`;
}

/** The same, for the planner to begin with the scope's files: where nothing else narrows the chunks down. */
export function isInFiles(scope: Scope): RawBuilder<unknown> {
  return sql`chunk.document_id in (
    select file.document_id from ${visibleBuilds(scope)} as build
    join ${sql.id(scope.tenant.schema, "files")} as file on file.generation = build.generation
    where ${matchesPath(scope, "file")}
  )`;
}

/**
 * What an embedder's provider last said, of the alias `ref`. Its words may hold pieces of the texts it was given, of whatever
 * repository: whoever may not see all of them is not told.
 */
export function vectorsError({ repositories }: Access): RawBuilder<string | null> {
  return repositories === undefined
    ? sql`ref.vectors_error`
    : sql`case when ref.vectors_error is not null then 'the embedder''s provider fails' end`;
}

/** True for the chunks, or documents, under the alias that the scope's path and language let through. */
export function matchesFile(scope: Scope, alias: "chunk" | "document" = "chunk"): RawBuilder<unknown> {
  const { lang } = scope;
  const byLanguage = lang === undefined ? sql`true` : sql`${sql.ref(`${alias}.language`)} = ${lang.toLowerCase()}`;
  return sql`(${matchesPath(scope, alias)} and ${byLanguage})`;
}

function matchesPath({ path }: Scope, alias: "chunk" | "document" | "file"): RawBuilder<unknown> {
  return path === undefined ? sql`true` : sql`${sql.ref(`${alias}.path`)} ilike ${containing(path).replaceAll("*", "%")}`;
}

export function filtersFiles({ path, lang }: Scope): boolean {
  return path !== undefined || lang !== undefined;
}

/** The LIKE pattern of the texts that hold `literal`, whatever is in it. */
export function containing(literal: string): string {
  return `%${literal.replaceAll(/[\\%_]/g, "\\$&")}%`;
}

function isRepositoryOf({ repo, repositories }: Scope): RawBuilder<unknown> {
  const byName = repo === undefined ? sql`true` : sql`lower(repository.full_name) = ${repo.toLowerCase()}`;
  const byRight = repositories === undefined ? sql`true` : sql`repository.id = any(${repositories}::uuid[])`;
  return sql`(${byName} and ${byRight})`;
}

function isRefOf({ ref }: Scope): RawBuilder<unknown> {
  return ref === undefined ? sql`ref.is_default` : sql`ref.name = ${ref}`;
}
