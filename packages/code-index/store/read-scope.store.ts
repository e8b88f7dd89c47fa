import { sql, type RawBuilder, type Transaction } from "kysely";
import type { CodeIndexTables, IndexStatus } from "#schema.ts";
import type { CodeIndexDatabase, Tenant } from "./tenant.ts";

/** Whose code may be seen, and what of it was asked for. Every read of a tenant's tables takes one. */
export type Scope = {
  readonly tenant: Tenant;
  /** `owner/repo`; all repositories when left out. */
  readonly repo?: string | undefined;
  /** Part of a path, in either case; `*` stands for anything. */
  readonly path?: string | undefined;
  readonly lang?: string | undefined;
};

export type VisibleRepository = {
  readonly id: string;
  readonly full_name: string;
  readonly index_status: IndexStatus;
  readonly generation: number | null;
  readonly indexed_commit: string | null;
  readonly embedder: string | null;
  readonly last_error: string | null;
};

/** A tenant's repositories at the most in one scope. */
const REPOSITORIES = 10_000;

export async function repositoriesInScope(database: CodeIndexDatabase, { tenant, repo }: Scope): Promise<readonly VisibleRepository[]> {
  return database.query
    .selectFrom("codeindex.repositories")
    .select(["id", "full_name", "index_status", "generation", "indexed_commit", "embedder", "last_error"])
    .where("tenant_id", "=", tenant.tenantId)
    .$if(repo !== undefined, (query) => query.where("full_name", "=", repo ?? ""))
    .orderBy("full_name")
    .limit(REPOSITORIES)
    .execute();
}

/**
 * Joins a tenant's table, whose alias is `table`, with the repositories (as `repository`) that the scope
 * lets be seen, at the generation that searches see.
 */
export function joinVisible(table: string, { tenant, repo }: Scope): RawBuilder<unknown> {
  return sql`join codeindex.repositories as repository
    on repository.id = ${sql.ref(`${table}.repo_id`)}
    and repository.generation = ${sql.ref(`${table}.generation`)}
    and repository.tenant_id = ${tenant.tenantId}
    ${repo === undefined ? sql`` : sql`and repository.full_name = ${repo}`}`;
}

/** True for the chunks, under the alias `chunk`, that the scope's path and language let through. */
export function matchesFile({ path, lang }: Scope): RawBuilder<unknown> {
  const byPath = path === undefined ? sql`true` : sql`chunk.path ilike ${containing(path).replaceAll("*", "%")}`;
  const byLanguage = lang === undefined ? sql`true` : sql`chunk.language = ${lang.toLowerCase()}`;
  return sql`(${byPath} and ${byLanguage})`;
}

export function filtersFiles({ path, lang }: Scope): boolean {
  return path !== undefined || lang !== undefined;
}

/** The LIKE pattern of the texts that hold `literal`, whatever is in it. */
export function containing(literal: string): string {
  return `%${literal.replaceAll(/[\\%_]/g, "\\$&")}%`;
}

/** Runs reads that the database gives up after `milliseconds`; the limit ends with them. */
export async function readWithin<Result>(
  database: CodeIndexDatabase,
  milliseconds: number,
  read: (transaction: Transaction<CodeIndexTables>) => Promise<Result>,
): Promise<Result> {
  return database.query.transaction().execute(async (transaction) => {
    await sql`select set_config('statement_timeout', ${String(milliseconds)}, true)`.execute(transaction);
    return read(transaction);
  });
}
