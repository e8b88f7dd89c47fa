import { sql, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import type { TenantSchema } from "#store/tenancy/tenant.ts";

type Query = Transaction<CodeIndexTables>;
type OfBranch = { readonly schema: TenantSchema; readonly repoId: string; readonly ref: string };

/** How many of a file's commits count, the newest; a subject says little about each file of a commit with more than MAX_FILES. */
const COMMITS = 12;
const MAX_FILES = 8;

type Bounds = { readonly first: number; readonly gone: readonly number[] };

/** The files of commits that the branch gains, those above what is seen, and loses. Asked before either happens. */
export async function filesOfOtherCommits(
  query: Query,
  { schema, repoId, ref }: OfBranch,
  { first, gone }: Bounds,
): Promise<readonly string[]> {
  const { rows } = await sql<{ path: string }>`
    select distinct path from ${sql.id(schema, "histories")} as history
    join ${sql.id(schema, "commits")} as commit on commit.repo_id = history.repo_id and commit.ref = history.ref
      and (commit.position > history.last_position or commit.position < ${first} or commit.position = any(${gone}::integer[]))
    cross join unnest(commit.paths) as path
    where history.repo_id = ${repoId} and history.ref = ${ref} and commit.paths_total <= ${MAX_FILES}
  `.execute(query);
  return rows.map(({ path }) => path);
}

/** Writes anew which words the subjects of the commits of these files have. */
export async function writeSubjectWords(query: Query, { schema, repoId, ref }: OfBranch, paths: readonly string[]): Promise<void> {
  const table = sql.id(schema, "subject_words");
  await sql`
    delete from ${table} where repo_id = ${repoId} and ref = ${ref} and path = any(${paths}::text[])
  `.execute(query);
  await sql`
    insert into ${table} (repo_id, ref, path, words)
    select ${repoId}, ${ref}, recent.path, string_agg(distinct term, ' ')
    from (
      select path, commit.terms[1:commit.subject_terms] as terms, row_number() over (partition by path order by commit.position desc) as recency
      from ${sql.id(schema, "commits")} as commit cross join unnest(commit.paths) as path
      where commit.repo_id = ${repoId} and commit.ref = ${ref} and commit.paths_total <= ${MAX_FILES}
    ) as recent cross join unnest(recent.terms) as term
    where recency <= ${COMMITS} and path = any(${paths}::text[])
    group by recent.path
  `.execute(query);
}
