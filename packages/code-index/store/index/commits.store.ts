import { sql, type Transaction } from "kysely";
import { MAX_CHANGED_FILES } from "#contract.ts";
import type { ChangesTable, CodeIndexTables, CommitsTable } from "#schema.ts";
import { packFirstParents, type PackedCommit } from "./first-parents.ts";
import { ofGoneBranches } from "./gone-branches.store.ts";
import { insertRows } from "./insert-rows.store.ts";
import { filesOfOtherCommits, writeSubjectWords } from "./subject-words.store.ts";
import { withinTenant, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";

/** Who writes the history of a branch; another one that begins ends its right to. */
export type HistoryWriter = Omit<Tenant, "name"> & { readonly repoId: string; readonly ref: string; readonly writer: number };

export type NewCommit = Omit<CommitsTable, "repo_id" | "ref" | "authored_at" | "committed_at"> & {
  readonly authored_at: string;
  readonly committed_at: string;
};

export type NewChange = Omit<ChangesTable, "repo_id" | "ref">;

export type KnownCommit = { readonly commit: string; readonly position: number; readonly parents: readonly string[] };

export type Begun = {
  readonly writer: HistoryWriter;
  /** What is seen of it, the newest first. */
  readonly known: readonly KnownCommit[];
  /** New commits get higher ones. */
  readonly lastPosition: number;
};

type Of = { readonly tenant: Omit<Tenant, "name">; readonly repoId: string; readonly ref: string };

/** Begins to write; `undefined` when the branch is not indexed any more. What another one left unfinished is removed. */
export async function beginHistory(database: CodeIndexDatabase, { tenant, repoId, ref }: Of): Promise<Begun | undefined> {
  const { schema } = tenant;
  return withinTenant(database, tenant, {}, async (transaction) => {
    const { rows } = await sql<{ writer: number; first_position: number; last_position: number }>`
      insert into ${sql.id(schema, "histories")} as history (repo_id, ref, writer)
      select repo_id, name, 1 from ${sql.id(schema, "refs")} where repo_id = ${repoId} and name = ${ref}
      on conflict (repo_id, ref) do update set writer = history.writer + 1
      returning writer, first_position, last_position
    `.execute(transaction);
    const [begun] = rows;
    if (begun === undefined) {
      return undefined;
    }
    const commits = sql.id(schema, "commits");
    await sql`
      delete from ${commits} where repo_id = ${repoId} and ref = ${ref} and not position between ${begun.first_position} and ${begun.last_position}
    `.execute(transaction);
    const known = await sql<KnownCommit>`
      select commit, position, parents from ${commits} where repo_id = ${repoId} and ref = ${ref} order by position desc
    `.execute(transaction);
    return {
      writer: { ...tenant, repoId, ref, writer: begun.writer },
      known: known.rows,
      lastPosition: begun.last_position,
    };
  });
}

type Added = { readonly commits: readonly NewCommit[]; readonly changes?: readonly NewChange[] };

/** Adds commits that nobody sees yet, and what they changed. @throws {Error} when another one writes. */
export async function addCommits(database: CodeIndexDatabase, writer: HistoryWriter, { commits, changes = [] }: Added): Promise<void> {
  if (commits.length === 0) {
    return;
  }
  await withinTenant(database, writer, {}, async (transaction) => {
    await requireWriter(transaction, writer);
    const { repoId: repo_id, ref } = writer;
    await insertRows(transaction, writer.schema, { table: "commits", columns: COMMIT_COLUMNS, same: { repo_id, ref }, rows: commits });
    await insertRows(transaction, writer.schema, { table: "changes", columns: CHANGE_COLUMNS, same: { repo_id, ref }, rows: changes });
  });
}

const COMMIT_COLUMNS = `position integer, commit text, parents text[], author text, author_email text, authored_at timestamptz,
  committed_at timestamptz, subject text, body text, terms text[], subject_terms integer, paths text[], paths_total integer, moved_to text[], moved_from text[], changes_total integer`;

const CHANGE_COLUMNS = "position integer, path text";

type Finished = {
  readonly commit: string | null;
  readonly complete: boolean;
  readonly first: number;
  readonly last: number;
  /** Those in between that the branch has no more. */
  readonly gone: readonly number[];
  readonly now: Date;
};

/** Shows what was written, and nothing else, from this moment. @throws {Error} when another one writes. */
export async function showHistory(database: CodeIndexDatabase, writer: HistoryWriter, finished: Finished): Promise<void> {
  const { schema, repoId, ref } = writer;
  await withinTenant(database, writer, {}, async (transaction) => {
    await requireWriter(transaction, writer);
    const changed = await filesOfOtherCommits(transaction, writer, finished);
    await sql`
      delete from ${sql.id(schema, "commits")} where repo_id = ${repoId} and ref = ${ref}
        and (position < ${finished.first} or position = any(${finished.gone}::integer[]))
    `.execute(transaction);
    const { rows: kept } = await sql<PackedCommit>`
      select position, commit, parents, coalesce(changes_total <= ${MAX_CHANGED_FILES}, false) as whole
      from ${sql.id(schema, "commits")} where repo_id = ${repoId} and ref = ${ref}
    `.execute(transaction);
    await sql`
      update ${sql.id(schema, "histories")} set commit = ${finished.commit}, complete = ${finished.complete}, fetched_at = ${finished.now},
        first_position = ${finished.first}, last_position = ${finished.last}, last_error = null,
        commits = ${kept.length}, first_parents = ${packFirstParents(kept, finished)}
      where repo_id = ${repoId} and ref = ${ref}
    `.execute(transaction);
    await writeSubjectWords(transaction, writer, changed);
  });
}

/** Keeps why a history could not be fetched, for people; what was fetched before stays. */
export async function noteHistoryError(
  database: CodeIndexDatabase,
  { tenant, repoId, ref, error }: Of & { readonly error: string },
): Promise<void> {
  await withinTenant(database, tenant, {}, async (transaction) => {
    await sql`
      insert into ${sql.id(tenant.schema, "histories")} (repo_id, ref, last_error)
      select repo_id, name, ${error} from ${sql.id(tenant.schema, "refs")} where repo_id = ${repoId} and name = ${ref}
      on conflict (repo_id, ref) do update set last_error = excluded.last_error
    `.execute(transaction);
  });
}

type WrittenHistory = { readonly repo_id: string; readonly ref: string; readonly writer: number };

/** Deletes histories of branches that are not indexed any more, with their commits, unless somebody began to write one again meanwhile. */
export async function sweepHistories(database: CodeIndexDatabase, tenant: Pick<Tenant, "tenantId" | "schema">): Promise<void> {
  const histories = sql.id(tenant.schema, "histories");
  const { rows } = await sql<WrittenHistory>`select repo_id, ref, writer from ${histories}`.execute(database.query);
  const gone = await ofGoneBranches(database, tenant, rows);
  if (gone.length > 0) {
    await sql`
      delete from ${histories} as history using json_to_recordset(${JSON.stringify(gone)}::json) as gone(repo_id uuid, ref text, writer integer)
      where history.repo_id = gone.repo_id and history.ref = gone.ref and history.writer = gone.writer
    `.execute(database.query);
  }
}

async function requireWriter(transaction: Transaction<CodeIndexTables>, { schema, repoId, ref, writer }: HistoryWriter): Promise<void> {
  const { rows } = await sql`
    select from ${sql.id(schema, "histories")} where repo_id = ${repoId} and ref = ${ref} and writer = ${writer} for update
  `.execute(transaction);
  if (rows.length === 0) {
    throw new Error("The history is written by another indexer, or its branch is gone.");
  }
}
