import { sql, type Kysely } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import type { Lease } from "#store/records/leases.store.ts";
import { insertRows } from "./insert-rows.store.ts";
import { lockTenant, withinTenant, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";

/** A set of files in the making; nobody sees it until it is switched to or applied. */
export type Build = Omit<Tenant, "name"> & {
  readonly repoId: string;
  /** The branch. */
  readonly ref: string;
  /** Higher than that of every build begun before, in any tenant. */
  readonly generation: number;
};

type Beginning = Omit<Build, "generation"> & { readonly lease: Lease; readonly now: Date };

export async function beginBuild(query: Kysely<CodeIndexTables>, { lease, now, ...of }: Beginning): Promise<Build> {
  const { rows } = await sql<{ generation: number }>`
    insert into ${sql.id(of.schema, "builds")} (generation, repo_id, ref, job_id, begun_at)
    values (nextval('codeindex.generations'), ${of.repoId}, ${of.ref}, ${lease.jobId}, ${now})
    returning generation
  `.execute(query);
  const generation = rows[0]?.generation;
  if (generation === undefined) {
    throw new Error("The database gave no generation.");
  }
  return { ...of, generation };
}

/** A path of a build, before its content is looked at. */
export type NewFile = {
  readonly path: string;
  readonly blob: string;
  readonly bytes: number;
  /** The encoding that `.gitattributes` say. */
  readonly declaredEncoding?: string | undefined;
  /** Revision of the splitter, and what was said of the encoding; negative where `.gitattributes` say that nobody wrote it here. */
  readonly splitter: number;
};

export type SkippedFile = Omit<NewFile, "splitter" | "declaredEncoding"> & { readonly skip_reason: string };

/** Adds paths that the repository's own rules leave out. */
export async function insertSkippedFiles(database: CodeIndexDatabase, build: Build, files: readonly SkippedFile[]): Promise<void> {
  const { schema, generation } = build;
  const columns = "path text, blob text, bytes bigint, skip_reason text";
  await withinTenant(database, build, {}, (transaction) =>
    insertRows(transaction, schema, { table: "files", columns, same: { generation }, rows: files }),
  );
}

export type Attached = {
  /** Paths that were added. */
  readonly known: ReadonlySet<string>;
  /** Paths whose contents another build is writing. */
  readonly busy: ReadonlySet<string>;
};

/** Adds the files whose content this tenant holds at the same path, split by the same splitter. */
export async function attachFiles(database: CodeIndexDatabase, build: Build, files: readonly NewFile[]): Promise<Attached> {
  const { schema, generation } = build;
  const given = sql`
    select given.*, document.document_id, document.complete
    from json_to_recordset(${JSON.stringify(files)}::json) as given(path text, blob text, bytes bigint, splitter integer)
    join ${sql.id(schema, "documents")} as document
      on document.blob = given.blob and document.path = given.path and document.splitter = given.splitter
  `;
  return withinTenant(database, build, {}, async (transaction) => {
    await lockTenant(transaction, build, "with-others");
    const { rows } = await sql<{ path: string; known: boolean }>`
      with given as (${given}), added as (
        insert into ${sql.id(schema, "files")} (generation, path, blob, bytes, document_id)
        select ${generation}, path, blob, bytes, document_id from given where complete
        returning path
      )
      select path, true as known from added union all select path, false from given where not complete
    `.execute(transaction);
    const paths = (known: boolean) => new Set(rows.flatMap((row) => (row.known === known ? [row.path] : [])));
    return { known: paths(true), busy: paths(false) };
  });
}

/** A path of the build that searches see: what decides whether it must be looked at again. */
export type LiveFile = {
  readonly path: string;
  readonly blob: string;
  readonly skip_reason: string | null;
  /** As in `NewFile`, of what split its content; null where the repository's rules leave the path out. */
  readonly splitter: number | null;
};

export async function listFiles(
  database: CodeIndexDatabase,
  { schema, generation }: Pick<Build, "schema" | "generation">,
): Promise<readonly LiveFile[]> {
  const { rows } = await sql<LiveFile>`
    select file.path, file.blob, file.skip_reason, document.splitter
    from ${sql.id(schema, "files")} as file left join ${sql.id(schema, "documents")} as document using (document_id)
    where file.generation = ${generation}
  `.execute(database.query);
  return rows;
}
