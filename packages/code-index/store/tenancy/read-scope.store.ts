import { foldCase, isAlikeAny } from "@sightline/foundation/database/fold-case";
import { sql, type Kysely, type RawBuilder } from "kysely";
import type { CodeIndexTables, IndexStatus } from "#schema.ts";
import { globPattern, pathPatterns, repositoryPattern } from "./like-patterns.ts";
import type { Tenant } from "./tenant.ts";

/** What reads a tenant's tables: the transaction of `readAs`. */
export type TenantQuery = Kysely<CodeIndexTables>;

/** Whose code may be seen. */
export type Access = {
  readonly tenant: Tenant;
  /** Ids of the repositories that may be seen; all of the tenant when left out. */
  readonly repositories?: readonly string[] | undefined;
};

/** Values any of which will do (all of them when there is none), and values none of which may be. */
export type Choice = { readonly anyOf: readonly string[]; readonly noneOf: readonly string[] };

/** What a query itself asks for beside the words to find. */
export type ScopeFilters = {
  /** A whole `owner/repo`, or without a slash part of one, in either case. */
  readonly repo: Choice;
  readonly ref: Choice;
  /** As `path` of a scope. */
  readonly path: Choice;
  readonly lang: Choice;
  /** Names that a chunk defines, in either case; `*` stands for anything. */
  readonly symbol: Choice;
};

/** And what of it was asked for. Every read of a tenant's tables takes one. */
export type Scope = Access & {
  /** `owner/repo` in either case, as the hosts take it; all repositories when left out. */
  readonly repo?: string | undefined;
  /** A branch; each repository's default one when left out. */
  readonly ref?: string | undefined;
  /** Part of a path, in either case; `pathPatterns` says how it is written. */
  readonly path?: string | undefined;
  readonly lang?: string | undefined;
  /** They hold beside the others. */
  readonly filters?: ScopeFilters | undefined;
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
  readonly indexed_at: Date | null;
  /** Pushes received that are not searchable yet. */
  readonly behind: number | null;
  readonly chunks: number | null;
  /** Chunks of all branches and repositories of the tenant. */
  readonly tenant_chunks: number | null;
  readonly vectors_pending: number | null;
  readonly vectors_error: string | null;
};

/** A tenant's repositories at the most in one scope. */
const REPOSITORIES = 10_000;

export async function repositoriesInScope(query: TenantQuery, scope: Scope): Promise<readonly RepositoryInScope[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<RepositoryInScope>`
    select repository.id, repository.full_name as repo, repository.index_status, repository.last_error,
      ref.name as ref, ref.generation, ref.indexed_commit as commit, ref.indexed_at, ref.behind, ref.chunks, ref.vectors_pending,
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

/** Branches that can be asked for, of the scope's repositories, whatever branch it asks for. */
export async function indexedBranches(query: TenantQuery, scope: Scope, limit: number): Promise<readonly string[]> {
  const { schema } = scope.tenant;
  const { rows } = await sql<{ name: string }>`
    select ref.name from ${sql.id(schema, "repositories")} as repository
    join ${sql.id(schema, "refs")} as ref on ref.repo_id = repository.id
    where ref.generation is not null and ${isRepositoryOf(scope)}
    group by ref.name
    order by bool_or(ref.is_default) desc, ref.name
    limit ${limit}
  `.execute(query);
  return rows.map(({ name }) => name);
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

/** True for the chunks, or documents, under the alias that the scope's path, language and symbols let through. */
export function matchesFile(scope: Scope, alias: "chunk" | "document" = "chunk"): RawBuilder<unknown> {
  const { lang, filters } = scope;
  const language = sql.ref(`${alias}.language`);
  return allOf([
    matchesPath(scope, alias),
    ...(lang === undefined ? [] : [sql`${language} = ${lang.toLowerCase()}`]),
    ...chosen(filters?.lang, (languages) => sql`${language} = any(${languages}::text[])`),
    // Which of a document's chunks define a name, only the chunks know.
    ...(alias === "chunk" ? chosen(filters?.symbol, (names) => definesOneOf(names.map(globPattern))) : []),
  ]);
}

function definesOneOf(patterns: readonly string[]): RawBuilder<unknown> {
  return sql`exists (select from unnest(chunk.symbols) as symbol(name) where ${isAlikeAny(sql`symbol.name`, patterns)})`;
}

export function matchesPath({ path, filters }: Scope, alias: "chunk" | "document" | "file"): RawBuilder<unknown> {
  const column = sql.ref(`${alias}.path`);
  return allOf([
    ...(path === undefined ? [] : [isAlikeAny(column, pathPatterns(path))]),
    ...chosen(filters?.path, (paths) => isAlikeAny(column, paths.flatMap(pathPatterns))),
  ]);
}

/** Whether the scope leaves chunks out that its repositories and branches have. */
export function filtersFiles({ path, lang, filters }: Scope): boolean {
  const chooses = (choice: Choice | undefined) => choice !== undefined && choice.anyOf.length + choice.noneOf.length > 0;
  return path !== undefined || lang !== undefined || chooses(filters?.path) || chooses(filters?.lang) || chooses(filters?.symbol);
}

function isRepositoryOf({ repo, repositories, filters }: Scope): RawBuilder<unknown> {
  return allOf([
    ...(repo === undefined ? [] : [sql`${foldCase(sql.ref("repository.full_name"))} = ${foldCase(repo)}`]),
    ...(repositories === undefined ? [] : [sql`repository.id = any(${repositories}::uuid[])`]),
    ...chosen(filters?.repo, (names) => isAlikeAny(sql.ref("repository.full_name"), names.map(repositoryPattern))),
  ]);
}

function isRefOf({ ref, filters }: Scope): RawBuilder<unknown> {
  const asked = filters?.ref.anyOf ?? [];
  return allOf([
    ...(ref === undefined ? (asked.length === 0 ? [sql`ref.is_default`] : []) : [sql`ref.name = ${ref}`]),
    ...chosen(filters?.ref, (names) => sql`ref.name = any(${names}::text[])`),
  ]);
}

/** What each side of a choice that has any value asks for. */
function chosen(choice: Choice | undefined, isOneOf: (values: readonly string[]) => RawBuilder<unknown>): readonly RawBuilder<unknown>[] {
  const { anyOf = [], noneOf = [] } = choice ?? {};
  return [...(anyOf.length === 0 ? [] : [isOneOf(anyOf)]), ...(noneOf.length === 0 ? [] : [sql`not ${isOneOf(noneOf)}`])];
}

function allOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`;
}
