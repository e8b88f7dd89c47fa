import { sql } from "kysely";
import type { CodeChunksTable } from "#schema.ts";
import { chunkId } from "./chunk-id.ts";
import type { Lease } from "./leases.store.ts";
import { tenantTables, type CodeIndexDatabase, type TenantSchema } from "./tenant.ts";
import { vectorText } from "./vectors.ts";

/** A repository's index in the making; nobody sees it until `switchBuild`. */
export type Build = {
  readonly schema: TenantSchema;
  readonly repoId: string;
  /** Higher than that of every build begun before, in any tenant. */
  readonly generation: number;
};

export async function beginBuild(
  database: CodeIndexDatabase,
  { schema, repoId }: { readonly schema: TenantSchema; readonly repoId: string },
): Promise<Build> {
  const { rows } = await sql<{ generation: number }>`select nextval('codeindex.generations') as generation`.execute(database.query);
  const generation = rows[0]?.generation;
  if (generation === undefined) {
    throw new Error("The database gave no generation.");
  }
  return { schema, repoId, generation };
}

export type NewFile = {
  readonly path: string;
  readonly blob: string;
  readonly language: string;
  readonly bytes: number;
  readonly lines: number;
  readonly skip_reason: string | null;
};

export async function insertFiles(database: CodeIndexDatabase, { schema, repoId, generation }: Build, files: readonly NewFile[]) {
  await sql`
    insert into ${sql.id(schema, "files")} (repo_id, generation, path, blob, language, bytes, lines, skip_reason)
    select ${repoId}, ${generation}, path, blob, language, bytes, lines, skip_reason
    from json_to_recordset(${JSON.stringify(files)}::json) as given(
      path text, blob text, language text, bytes bigint, lines integer, skip_reason text
    )
  `.execute(database.query);
}

/** Makes room for a run of chunks; `finishSegment` says what it came to. */
export async function beginSegment(database: CodeIndexDatabase, { schema, repoId, generation }: Build): Promise<number> {
  const { segment_id: segmentId } = await tenantTables(database, schema)
    .insertInto("segments")
    .values({ repo_id: repoId, generation, chunks: 0, average_length: 0 })
    .returning("segment_id")
    .executeTakeFirstOrThrow();
  return segmentId;
}

/** A chunk before it has a place in a segment. */
export type NewChunk = Omit<CodeChunksTable, "chunk_id" | "repo_id" | "generation" | "segment_id">;

export async function insertChunks(
  database: CodeIndexDatabase,
  { schema, repoId, generation }: Build,
  { segmentId, chunks }: { readonly segmentId: number; readonly chunks: readonly NewChunk[] },
): Promise<void> {
  const rows = chunks.map((chunk) => ({ ...chunk, chunk_id: chunkId(segmentId, chunk.ordinal) }));
  await sql`
    insert into ${sql.id(schema, "code_chunks")} (chunk_id, repo_id, generation, segment_id, ordinal, path, language,
      start_line, end_line, start_byte, end_byte, symbols, scope, content)
    select chunk_id, ${repoId}, ${generation}, ${segmentId}, ordinal, path, language,
      start_line, end_line, start_byte, end_byte, symbols, scope, content
    from json_to_recordset(${JSON.stringify(rows)}::json) as given(
      chunk_id bigint, ordinal integer, path text, language text, start_line integer, end_line integer,
      start_byte integer, end_byte integer, symbols text[], scope text, content text
    )
  `.execute(database.query);
}

export type NewVector = { readonly ordinal: number; readonly vector: Float32Array };

export async function insertVectors(
  database: CodeIndexDatabase,
  { schema, repoId, generation }: Build,
  { segmentId, vectors }: { readonly segmentId: number; readonly vectors: readonly NewVector[] },
): Promise<void> {
  const rows = vectors.map(({ ordinal, vector }) => ({ chunk_id: chunkId(segmentId, ordinal), embedding: vectorText(vector) }));
  await sql`
    insert into ${sql.id(schema, "code_vectors_hash_v1")} (chunk_id, repo_id, generation, embedding)
    select chunk_id, ${repoId}, ${generation}, embedding::halfvec(256)
    from json_to_recordset(${JSON.stringify(rows)}::json) as given(chunk_id bigint, embedding text)
  `.execute(database.query);
}

export type NewPostings = { readonly term: string; readonly df: number; readonly docs: Buffer };

export async function insertPostings(
  database: CodeIndexDatabase,
  { schema }: Build,
  { segmentId, postings }: { readonly segmentId: number; readonly postings: readonly NewPostings[] },
): Promise<void> {
  const rows = postings.map(({ term, df, docs }) => ({ term, df, docs: docs.toString("hex") }));
  await sql`
    insert into ${sql.id(schema, "postings")} (term, segment_id, df, docs)
    select term, ${segmentId}, df, decode(docs, 'hex')
    from json_to_recordset(${JSON.stringify(rows)}::json) as given(term text, df integer, docs text)
  `.execute(database.query);
}

export async function finishSegment(
  database: CodeIndexDatabase,
  { schema }: Build,
  { segmentId, chunks, averageLength }: { readonly segmentId: number; readonly chunks: number; readonly averageLength: number },
): Promise<void> {
  await tenantTables(database, schema)
    .updateTable("segments")
    .set({ chunks, average_length: averageLength })
    .where("segment_id", "=", segmentId)
    .execute();
}

/** What a build should have come to. */
export type BuildTotals = {
  /** Rows of `files`, skipped ones with them. */
  readonly files: number;
  /** Of those, the ones that are searchable. */
  readonly indexed: number;
  readonly chunks: number;
  readonly vectors: number;
};

type Switching = {
  readonly lease: Lease;
  readonly commit: string;
  readonly defaultBranch: string | null;
  readonly embedder: string | null;
  readonly totals: BuildTotals;
  readonly now: Date;
};

/**
 * Lets searches see the build and ends its job, in one transaction, after counting the rows.
 *
 * @returns false when the job is no longer the worker's; nothing has changed then.
 * @throws {Error} when rows are missing; nothing has changed then either.
 */
export async function switchBuild(database: CodeIndexDatabase, build: Build, switching: Switching): Promise<boolean> {
  const { lease, commit, defaultBranch, embedder, totals, now } = switching;
  return database.query.transaction().execute(async (transaction) => {
    const job = await transaction
      .updateTable("codeindex.index_jobs")
      .set({ status: "succeeded", completed_at: now, commit, progress: JSON.stringify(done(totals.files)) })
      .where("job_id", "=", lease.jobId)
      .where("worker_id", "=", lease.workerId)
      .where("status", "=", "running")
      .returning("repo_id")
      .executeTakeFirst();
    if (job?.repo_id !== build.repoId) {
      return false;
    }
    const { rows } = await sql<{ files: number; chunks: number; vectors: number }>`
      select
        (select count(*) from ${sql.id(build.schema, "files")} where ${ofBuild(build)}) as files,
        (select count(*) from ${sql.id(build.schema, "code_chunks")} where ${ofBuild(build)}) as chunks,
        (select count(*) from ${sql.id(build.schema, "code_vectors_hash_v1")} where ${ofBuild(build)}) as vectors
    `.execute(transaction);
    const found = rows[0];
    if (found?.files !== totals.files || found.chunks !== totals.chunks || found.vectors !== totals.vectors) {
      throw new Error(`The build is incomplete: expected ${JSON.stringify(totals)}, found ${JSON.stringify(found)}.`);
    }
    await transaction
      .updateTable("codeindex.repositories")
      .set({
        index_status: "ready",
        indexed_commit: commit,
        indexed_at: now,
        generation: build.generation,
        default_branch: defaultBranch,
        embedder,
        files: totals.indexed,
        chunks: totals.chunks,
        behind: 0,
        last_error: null,
      })
      .where("id", "=", build.repoId)
      .execute();
    return true;
  });
}

/** Ends a job that found the index to be of the newest commit already. */
export async function confirmIndex(
  database: CodeIndexDatabase,
  { lease, commit, now }: { readonly lease: Lease; readonly commit: string; readonly now: Date },
): Promise<boolean> {
  const { rows } = await sql`
    with job as (
      update codeindex.index_jobs set status = 'succeeded', completed_at = ${now}, commit = ${commit}, progress = ${JSON.stringify(done(0))}
      where job_id = ${lease.jobId} and worker_id = ${lease.workerId} and status = 'running'
      returning repo_id
    )
    update codeindex.repositories set index_status = 'ready', behind = 0, last_error = null from job where id = job.repo_id
    returning id
  `.execute(database.query);
  return rows.length > 0;
}

/** Rows deleted by one statement, so that none holds the database for long. */
const SWEEP = 1_000;

/**
 * Deletes a repository's builds older than `generation`, those of crashed attempts with them.
 * Never newer ones: another worker may be writing them.
 */
export async function sweepBuilds(database: CodeIndexDatabase, build: Build): Promise<void> {
  await sweep(database, build, sql`repo_id = ${build.repoId} and generation < ${build.generation}`);
}

/** Deletes what a failed build has written. */
export async function discardBuild(database: CodeIndexDatabase, build: Build): Promise<void> {
  await sweep(database, build, ofBuild(build));
}

const GIN_INDEXES = ["code_chunks_content_trigrams", "code_chunks_path_trigrams", "code_chunks_symbols"];
const TABLES = ["files", "code_chunks", "code_vectors_hash_v1", "postings"];

/**
 * Cleans up after a large write: what writes put aside goes into the GIN indexes, and the planner learns the new sizes.
 * Where nothing vacuums in the background, as in the embedded database, the room of deleted rows is freed here.
 */
export async function settleTables(database: CodeIndexDatabase, { schema }: Build): Promise<void> {
  const { rows } = await sql`select from pg_stat_activity where backend_type = 'autovacuum launcher'`.execute(database.query);
  if (rows.length === 0) {
    for (const table of TABLES) {
      await sql`vacuum (analyze) ${sql.id(schema, table)}`.execute(database.query);
    }
    return;
  }
  for (const index of GIN_INDEXES) {
    await sql`select gin_clean_pending_list(format('%I.%I', ${schema}::text, ${index}::text)::regclass)`.execute(database.query);
  }
  for (const table of TABLES) {
    await sql`analyze ${sql.id(schema, table)}`.execute(database.query);
  }
}

function ofBuild({ repoId, generation }: Build) {
  return sql`repo_id = ${repoId} and generation = ${generation}`;
}

async function sweep(database: CodeIndexDatabase, { schema }: Build, condition: ReturnType<typeof ofBuild>): Promise<void> {
  const postings = sql.id(schema, "postings");
  const segments = sql.id(schema, "segments");
  await sweepTable(database, postings, sql`segment_id in (select segment_id from ${segments} where ${condition})`);
  for (const table of ["code_vectors_hash_v1", "code_chunks", "files", "segments"]) {
    await sweepTable(database, sql.id(schema, table), condition);
  }
}

async function sweepTable(database: CodeIndexDatabase, table: ReturnType<typeof sql.id>, condition: ReturnType<typeof ofBuild>) {
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from ${table} where ctid = any(array(select ctid from ${table} where ${condition} limit ${SWEEP}))
    `.execute(database.query);
    if ((numAffectedRows ?? 0n) < SWEEP) {
      return;
    }
  }
}

function done(files: number) {
  return { phase: "done", done: files, total: files };
}
