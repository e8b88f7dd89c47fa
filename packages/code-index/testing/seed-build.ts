import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { embeddedText, textHash } from "#embedding/embedded-text.ts";
import { createPostingsCollector } from "#indexing/build/collect-postings.ts";
import { chunkId } from "#store/index/postings.ts";
import type { CodeIndexDatabase, Tenant } from "#store/tenancy/tenant.ts";
import { tenantTables } from "./tenant-tables.ts";

/** A branch as searches see it, written without git or an indexer. Files are split at empty lines; one given as a reason is skipped. */
export type Seed = {
  readonly tenant: Tenant;
  readonly repo: string;
  /** The default branch when left out. */
  readonly ref?: string;
  readonly commit?: string;
  readonly files: Readonly<Record<string, string | { readonly skip: string }>>;
};

type Seeded = { readonly repoId: string; readonly generation: number; readonly chunks: number };

const MAIN = "main";

/** Writes a generation and points the branch at it. Contents that the tenant has at the same path are not written again. */
export async function seedBuild(database: CodeIndexDatabase, seed: Seed): Promise<Seeded> {
  const { tenant, repo, ref = MAIN, commit = randomUUID().replaceAll("-", ""), files } = seed;
  const repoId = await ensureRepository(database, tenant, repo);
  const { rows } = await sql<{ generation: number }>`select nextval('codeindex.generations')::integer as generation`.execute(
    database.query,
  );
  const generation = rows[0]?.generation ?? 0;
  const tables = tenantTables(database, tenant.schema);
  await tables.insertInto("builds").values({ generation, repo_id: repoId, ref, job_id: randomUUID(), begun_at: new Date() }).execute();
  await writeSegment(database, { tenant, generation, files });
  const chunks = await showDocuments(database, { tenant, generation, files });
  await database.query
    .insertInto("codeindex.refs")
    .values({ ref_id: randomUUID(), repo_id: repoId, tenant_id: tenant.tenantId, name: ref, is_default: ref === MAIN })
    .onConflict((conflict) => conflict.columns(["repo_id", "name"]).doNothing())
    .execute();
  await database.query
    .updateTable("codeindex.refs")
    .set({ generation, indexed_commit: commit, indexed_at: new Date(), files: Object.keys(files).length, chunks })
    .where("repo_id", "=", repoId)
    .where("name", "=", ref)
    .execute();
  return { repoId, generation, chunks };
}

async function ensureRepository(database: CodeIndexDatabase, tenant: Tenant, repo: string): Promise<string> {
  await database.query
    .insertInto("codeindex.repositories")
    .values({
      id: randomUUID(),
      tenant_id: tenant.tenantId,
      full_name: repo,
      clone_url: "file:///nowhere",
      default_branch: MAIN,
      index_status: "ready",
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { id } = await database.query
    .selectFrom("codeindex.repositories")
    .select("id")
    .where("tenant_id", "=", tenant.tenantId)
    .where("full_name", "=", repo)
    .executeTakeFirstOrThrow();
  return id;
}

type Writing = Pick<Seed, "tenant" | "files"> & { readonly generation: number };

/** What stands for git's id of a content. */
function blobOf(content: string): string {
  return textHash(content);
}

async function writeSegment(database: CodeIndexDatabase, { tenant, generation, files }: Writing): Promise<void> {
  const tables = tenantTables(database, tenant.schema);
  const { segment_id: segmentId } = await tables
    .insertInto("segments")
    .values({ generation, chunks: 0 })
    .returning("segment_id")
    .executeTakeFirstOrThrow();
  const postings = createPostingsCollector();
  let ordinal = 0;
  for (const [path, content] of Object.entries(files)) {
    if (typeof content !== "string") {
      continue;
    }
    const pieces = content === "" ? [] : content.split(/(?<=\n\n)/u);
    const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
    const row = { blob: blobOf(content), path, splitter: 1, language: "text", bytes: Buffer.byteLength(content), lines };
    const document = await tables
      .insertInto("documents")
      .values({ ...row, chunks: pieces.length, skip_reason: null, complete: true })
      .onConflict((conflict) => conflict.doNothing())
      .returning("document_id")
      .executeTakeFirst();
    let before = "";
    for (const piece of document === undefined ? [] : pieces) {
      const fields = { path, scope: "", content: piece };
      const startLine = before.split("\n").length;
      await tables
        .insertInto("code_chunks")
        .values({
          ...fields,
          chunk_id: chunkId(segmentId, ordinal),
          segment_id: segmentId,
          ordinal,
          document_id: document?.document_id ?? 0,
          language: "text",
          start_line: startLine,
          end_line: startLine + piece.replace(/\n$/u, "").split("\n").length - 1,
          start_byte: Buffer.byteLength(before),
          end_byte: Buffer.byteLength(before + piece),
          symbols: [],
          text_hash: textHash(embeddedText({ ...fields, symbols: [] })),
        })
        .execute();
      postings.add({ ...fields, symbols: [], start_byte: Buffer.byteLength(before), text_hash: "" });
      before += piece;
      ordinal++;
    }
  }
  for (const { term, df, docs } of postings.packed()) {
    await tables.insertInto("postings").values({ term, segment_id: segmentId, df, docs }).execute();
  }
  for (const { first, lists } of postings.trigrams()) {
    await tables.insertInto("trigrams").values({ segment_id: segmentId, first, lists }).execute();
  }
  await tables.updateTable("segments").set({ chunks: ordinal, complete: true }).where("segment_id", "=", segmentId).execute();
}

async function showDocuments(database: CodeIndexDatabase, { tenant, generation, files }: Writing): Promise<number> {
  const tables = tenantTables(database, tenant.schema);
  const documentIds: number[] = [];
  for (const [path, content] of Object.entries(files)) {
    const file = { generation, path, bytes: typeof content === "string" ? Buffer.byteLength(content) : 1 };
    if (typeof content !== "string") {
      await tables
        .insertInto("files")
        .values({ ...file, blob: "0", document_id: null, skip_reason: content.skip })
        .execute();
      continue;
    }
    const { document_id: documentId } = await tables
      .selectFrom("documents")
      .select("document_id")
      .where("blob", "=", blobOf(content))
      .where("path", "=", path)
      .executeTakeFirstOrThrow();
    await tables
      .insertInto("files")
      .values({ ...file, blob: blobOf(content), document_id: documentId, skip_reason: null })
      .execute();
    documentIds.push(documentId);
  }
  return showChunks(database, { tenant, generation, documentIds });
}

type Showing = { readonly tenant: Tenant; readonly generation: number; readonly documentIds: readonly number[] };

async function showChunks(database: CodeIndexDatabase, { tenant, generation, documentIds }: Showing): Promise<number> {
  const tables = tenantTables(database, tenant.schema);
  const { rows } = await sql<{ segment_id: number; capacity: number; ordinals: number[] }>`
    select segment.segment_id, segment.chunks as capacity, array_agg(chunk.ordinal) as ordinals
    from ${sql.id(tenant.schema, "code_chunks")} as chunk
    join ${sql.id(tenant.schema, "segments")} as segment on segment.segment_id = chunk.segment_id
    where chunk.document_id = any(${documentIds}::bigint[])
    group by segment.segment_id
  `.execute(database.query);
  for (const { segment_id, capacity, ordinals } of rows) {
    const bitmap = Buffer.alloc(Math.ceil(capacity / 8));
    for (const ordinal of ordinals) {
      bitmap[ordinal >> 3] = (bitmap[ordinal >> 3] ?? 0) | (1 << (ordinal & 7));
    }
    await tables
      .insertInto("visible")
      .values({ generation, segment_id, chunks: ordinals.length, ordinals: ordinals.length === capacity ? null : bitmap })
      .execute();
  }
  return rows.reduce((sum, row) => sum + row.ordinals.length, 0);
}
