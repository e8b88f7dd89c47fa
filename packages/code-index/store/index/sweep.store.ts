import { setTimeout as delay } from "node:timers/promises";
import { sql, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import type { Build } from "./builds.store.ts";
import { chunkId } from "./postings.ts";
import { ofGoneBranches } from "./gone-branches.store.ts";
import { sweepHistories } from "./commits.store.ts";
import { isCluster } from "#store/tenancy/cluster.store.ts";
import { lockTenant, withinTenant, type CodeIndexDatabase, type Tenant, type TenantSchema } from "#store/tenancy/tenant.ts";

type Swept = Omit<Tenant, "name">;

/**
 * A read on a node begins later than on the coordinator, which told it what build to read: so long after a switch nobody looks for the one before any
 * more.
 */
const READS_BEGIN_MS = 3_000;

/**
 * No statement here names tables of the service and of the tenant: these may be on another node of the database.
 *
 * Deletes what no search can see any more and nobody is writing: builds that were replaced, or whose job has ended without
 * a switch, and the contents that only they held. In batches, each a short transaction that leaves nothing half deleted.
 */
export async function sweepTenant(database: CodeIndexDatabase, tenant: Swept): Promise<void> {
  const dead = await deadBuilds(database, tenant);
  if (dead.length > 0 && (await isCluster(database.query))) {
    await delay(READS_BEGIN_MS);
  }
  for (const generation of dead) {
    await deleteBuild(database, { ...tenant, generation });
  }
  for (const segmentId of await abandonedSegments(database, tenant)) {
    await deleteAbandonedDocuments(database, tenant, segmentId);
  }
  for (const segmentId of await deadSegments(database, tenant)) {
    await deleteSegment(database, tenant, segmentId);
  }
  await sweepHistories(database, tenant);
  await sweepScipUploads(database, tenant);
  await sweepWatchLines(database, tenant);
}

/** Deletes the lines of alerts that are no more. */
async function sweepWatchLines(database: CodeIndexDatabase, { schema }: Swept): Promise<void> {
  const lines = sql.id(schema, "watch_lines");
  const { rows } = await sql<{ alert_id: string }>`select alert_id from ${lines}`.execute(database.query);
  const { rows: gone } = await sql<{ id: string }>`
    select id from unnest(${rows.map((row) => row.alert_id)}::uuid[]) as line(id)
    where not exists (select from codeindex.watch_alerts as alert where alert.id = line.id)
  `.execute(database.query);
  await sql`delete from ${lines} where alert_id = any(${gone.map((row) => row.id)}::uuid[])`.execute(database.query);
}

async function sweepScipUploads(database: CodeIndexDatabase, tenant: Swept): Promise<void> {
  const uploads = sql.id(tenant.schema, "scip_uploads");
  const { rows } = await sql<UploadOf>`select upload_id, repo_id, ref from ${uploads}`.execute(database.query);
  const gone = await ofGoneBranches(database, tenant, rows);
  if (gone.length > 0) {
    await sql`delete from ${uploads} where upload_id = any(${gone.map((upload) => upload.upload_id)}::integer[])`.execute(database.query);
  }
}

type UploadOf = { readonly upload_id: number; readonly repo_id: string; readonly ref: string };

/** Deletes a build that failed, and whatever else is dead. */
export async function discardBuild(database: CodeIndexDatabase, build: Build): Promise<void> {
  await deleteBuild(database, build);
  await sweepTenant(database, build);
}

type BegunBuild = { readonly generation: number; readonly job_id: string };

/**
 * A job that was given back and claimed again writes another build; of several the newest is alive. The builds are read
 * first: of one that is begun later nothing is said.
 */
async function deadBuilds(database: CodeIndexDatabase, { schema }: Swept): Promise<readonly number[]> {
  const { rows: builds } = await sql<BegunBuild>`select generation, job_id from ${sql.id(schema, "builds")}`.execute(database.query);
  if (builds.length === 0) {
    return [];
  }
  // In one statement: a job ends in the moment in which its build comes into use.
  const { rows } = await sql<{ generation: number }>`
    with build as (select * from json_to_recordset(${JSON.stringify(builds)}::json) as given(generation integer, job_id uuid))
    select build.generation from build
    where not exists (select from codeindex.refs where refs.generation = build.generation)
      and (
        not exists (select from codeindex.index_jobs as job where job.job_id = build.job_id and job.status = 'running')
        or exists (select from build as newer where newer.job_id = build.job_id and newer.generation > build.generation)
      )
    order by build.generation
  `.execute(database.query);
  return rows.map((row) => row.generation);
}

const FILES = 500;

async function deleteBuild(database: CodeIndexDatabase, { generation, ...tenant }: Swept & { readonly generation: number }): Promise<void> {
  const files = sql.id(tenant.schema, "files");
  await inBatches(FILES, () =>
    withinTenant(database, tenant, {}, async (transaction) => {
      await lockTenant(transaction, tenant, "alone");
      const { rows } = await sql<{ document_id: number | null }>`
        delete from ${files} where ctid = any(array(select ctid from ${files} where generation = ${generation} limit ${FILES}))
        returning document_id
      `.execute(transaction);
      const documents = rows.flatMap(({ document_id: documentId }) => (documentId === null ? [] : [documentId]));
      await deleteUnused(transaction, tenant, documents);
      return rows.length;
    }),
  );
  await sql`delete from ${sql.id(tenant.schema, "builds")} where generation = ${generation}`.execute(database.query);
}

/** Deletes those documents that no build has a file of, and the vectors that no other document needs. */
async function deleteUnused(transaction: Transaction<CodeIndexTables>, { schema }: Swept, candidates: readonly number[]): Promise<number> {
  const { rows: unused } = await sql<{ document_id: number }>`
    select document_id from ${sql.id(schema, "documents")} as document
    where document_id = any(${candidates}::bigint[])
      and not exists (select from ${sql.id(schema, "files")} as file where file.document_id = document.document_id)
  `.execute(transaction);
  if (unused.length === 0) {
    return 0;
  }
  const ofUnused = sql`where document_id = any(${unused.map((row) => row.document_id)}::bigint[])`;
  const { rows: chunks } = await sql<{ segment_id: number; text_hash: string }>`
    delete from ${sql.id(schema, "code_chunks")} ${ofUnused} returning segment_id, text_hash
  `.execute(transaction);
  for (const table of ["symbols", "symbol_references", "documents"]) {
    await sql`delete from ${sql.id(schema, table)} ${ofUnused}`.execute(transaction);
  }
  await countDead(transaction, schema, chunks);
  await deleteVectors(transaction, schema, [...new Set(chunks.map((chunk) => chunk.text_hash))]);
  return unused.length;
}

/** Counts chunks as dead that are in their segments no more; of each the segment is given. */
export async function countDead(
  transaction: Transaction<CodeIndexTables>,
  schema: TenantSchema,
  chunks: readonly { readonly segment_id: number }[],
): Promise<void> {
  await sql`
    update ${sql.id(schema, "segments")} as segment set dead = dead + given.chunks
    from (select segment_id, count(*) as chunks from unnest(${chunks.map((chunk) => chunk.segment_id)}::integer[]) as segment_id group by segment_id) as given
    where segment.segment_id = given.segment_id
  `.execute(transaction);
}

async function deleteVectors(transaction: Transaction<CodeIndexTables>, schema: TenantSchema, hashes: readonly string[]): Promise<void> {
  const { rows } = await sql<{ embedder_id: number }>`select embedder_id from ${sql.id(schema, "embedders")}`.execute(transaction);
  for (const { embedder_id: embedderId } of rows) {
    await sql`
      delete from ${sql.id(schema, `vectors_${embedderId}`)} as vector where text_hash = any(${hashes}::uuid[])
        and not exists (select from ${sql.id(schema, "code_chunks")} as chunk where chunk.text_hash = vector.text_hash)
    `.execute(transaction);
  }
}

async function abandonedSegments(database: CodeIndexDatabase, { schema }: Swept): Promise<readonly number[]> {
  const { rows } = await sql<{ segment_id: number }>`
    select segment_id from ${sql.id(schema, "segments")} as segment
    where not complete and not exists (select from ${sql.id(schema, "builds")} as build where build.generation = segment.generation)
  `.execute(database.query);
  return rows.map((row) => row.segment_id);
}

const DOCUMENTS = 200;

/** Deletes an abandoned segment's documents, whose files went with the build, and says so in the segment. */
async function deleteAbandonedDocuments(database: CodeIndexDatabase, tenant: Swept, segmentId: number): Promise<void> {
  const chunks = sql.id(tenant.schema, "code_chunks");
  await inBatches(1, () =>
    withinTenant(database, tenant, {}, async (transaction) => {
      await lockTenant(transaction, tenant, "alone");
      const { rows } = await sql<{ document_id: number }>`
        select distinct document_id from ${chunks}
        where chunk_id between ${chunkId(segmentId, 0)} and ${chunkId(segmentId + 1, 0) - 1}
        limit ${DOCUMENTS}
      `.execute(transaction);
      return deleteUnused(
        transaction,
        tenant,
        rows.map((row) => row.document_id),
      );
    }),
  );
  await sql`update ${sql.id(tenant.schema, "segments")} set complete = true where segment_id = ${segmentId}`.execute(database.query);
}

async function deadSegments(database: CodeIndexDatabase, { schema }: Swept): Promise<readonly number[]> {
  const { rows } = await sql<{ segment_id: number }>`
    select segment_id from ${sql.id(schema, "segments")} where complete and dead >= chunks
  `.execute(database.query);
  return rows.map((row) => row.segment_id);
}

const POSTINGS = 5_000;

/** The segment goes before the last of its postings: who writes some holds it, and nobody writes more once it is gone. */
async function deleteSegment(database: CodeIndexDatabase, { schema }: Swept, segmentId: number): Promise<void> {
  const postings = sql.id(schema, "postings");
  await inBatches(POSTINGS, async () => {
    const { numAffectedRows } = await sql`
      delete from ${postings} where ctid = any(array(select ctid from ${postings} where segment_id = ${segmentId} limit ${POSTINGS}))
    `.execute(database.query);
    return Number(numAffectedRows ?? 0);
  });
  await database.query.transaction().execute(async (transaction) => {
    for (const table of ["segments", "postings"]) {
      await sql`delete from ${sql.id(schema, table)} where segment_id = ${segmentId}`.execute(transaction);
    }
  });
}

/** Repeats a deletion until it finds less than it may delete at once. */
async function inBatches(full: number, remove: () => Promise<number>): Promise<void> {
  for (;;) {
    if ((await remove()) < full) {
      return;
    }
  }
}
