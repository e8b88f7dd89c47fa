import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@sightline/foundation/clock";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { beginBuild, insertSkippedFiles } from "#store/index/builds.store.ts";
import { enqueueJob, getJob, requestCancel, type JobRow } from "#store/records/jobs.store.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { encodePostings, readPostings } from "#testing/packed-postings.ts";
import { getRepository, type RefRow, type RepositoryRow } from "#store/records/read-repositories.store.ts";
import { registerRepository } from "#store/records/repositories.store.ts";
import { ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { tenantTables } from "#testing/tenant-tables.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { testConfig } from "#testing/test-config.ts";
import { createIndexer, type Indexer } from "./indexer.ts";
import { createWatchdog } from "./watchdog.ts";

const tenantId = "t1";
const clock = systemClock;

let database: TestDatabase<CodeIndexTables>;
let tenant: Tenant;
let source: GitRepository;
let repository: RepositoryRow;
let dataDir: string;
let indexers: Indexer[];

beforeEach(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  tenant = await ensureTenant(database, { tenantId, name: "default" });
  source = await createGitRepository();
  repository = await registerRepository(database, { tenantId, fullName: "o/r", cloneUrl: source.url });
  dataDir = await mkdtemp(join(tmpdir(), "sightline-data-"));
  indexers = [];
});

afterEach(async () => {
  await Promise.all(indexers.map((indexer) => indexer.stop()));
  await database.drop();
  await source.remove();
  await rm(dataDir, { recursive: true, force: true });
});

async function startIndexer(embedder: "hash" | "none" = "hash"): Promise<Indexer> {
  const config = { ...testConfig(dataDir), CODEINDEX_EMBEDDER: embedder };
  const indexer = createIndexer({ config, database, log: silentLog, clock });
  await indexer.start();
  indexers.push(indexer);
  return indexer;
}

const enqueue = (mode: "full" | "incremental" = "full") =>
  enqueueJob(database, { tenantId, repoId: repository.id, mode, trigger: "api", now: clock.now() });

async function jobWith(jobId: string, status: JobRow["status"]): Promise<JobRow> {
  return vi.waitFor(
    async () => {
      const job = await getJob(database, { tenantId, jobId });
      expect(job).toMatchObject({ status });
      return job as JobRow;
    },
    { timeout: 25_000, interval: 50 },
  );
}

async function index(mode: "full" | "incremental" = "full"): Promise<JobRow> {
  return jobWith((await enqueue(mode)).job_id, "succeeded");
}

const reload = async () => (await getRepository(database, { tenant, repositories: undefined, id: repository.id })) ?? repository;
const mainRef = async (): Promise<Partial<RefRow>> => (await reload()).refs[0] ?? {};
const tables = () => tenantTables(database, tenant.schema);

/** The files as searches see them, put together from their chunks. */
async function indexedFiles(): Promise<Record<string, string>> {
  const { generation } = await mainRef();
  const { rows } = await sql<{ path: string; content: string }>`
    select file.path, chunk.content from ${sql.id(tenant.schema, "files")} as file
    join ${sql.id(tenant.schema, "code_chunks")} as chunk using (document_id)
    where file.generation = ${generation ?? -1} order by file.path, chunk.start_byte
  `.execute(database.query);
  const files: Record<string, string> = {};
  for (const { path, content } of rows) {
    files[path] = (files[path] ?? "") + content;
  }
  return files;
}

/** Builds of which there is a row. */
async function generations(): Promise<number[]> {
  const { rows } = await sql<{ generation: number }>`
    select generation from ${sql.id(tenant.schema, "builds")} union select generation from ${sql.id(tenant.schema, "files")}
    union select generation from ${sql.id(tenant.schema, "visible")}
  `.execute(database.query);
  return rows.map((row) => row.generation);
}

async function countRows(table: "documents" | "code_chunks" | "segments" | "postings"): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.id(tenant.schema, table)}`.execute(database.query);
  return rows[0]?.count ?? -1;
}

const largeText = Array.from({ length: 3_000 }, (_, line) => `line ${line}: größe ${"x".repeat(line % 90)}\n`).join("");

test("a repository is indexed whole: files can be put together again, and what was left out says why", async () => {
  const files = { "src/server.ts": "export function startServer() {}\n", "large.txt": largeText, "no-newline": "a" };
  const commit = await source.commit({ ...files, "image.png": Buffer.from([137, 80, 78, 71, 0]), "latin.txt": Buffer.from([99, 233, 10]) });
  await startIndexer();
  const job = await index();
  expect(await indexedFiles()).toEqual({ ...files, "latin.txt": "cé\n" });
  expect(job).toMatchObject({ commit, attempt: 1, error_message: null, progress: { phase: "done", done: 5, total: 5 } });
  expect(await reload()).toMatchObject({ index_status: "ready", default_branch: "main", last_error: null });
  expect(await mainRef()).toMatchObject({ name: "main", is_default: true, indexed_commit: commit, files: 4 });
  const rows = await tables().selectFrom("documents").select(["path", "language", "lines", "skip_reason"]).orderBy("path").execute();
  expect(rows).toContainEqual({ path: "image.png", language: "text", lines: 0, skip_reason: "binary" });
  expect(rows).toContainEqual({ path: "src/server.ts", language: "typescript", lines: 1, skip_reason: null });
});

test("a term's postings name the chunks that hold it, in text, path or as a symbol", async () => {
  await source.commit({ "src/retry.ts": "export function backOff() {}\n", "b.md": "retry later\n", "c.md": "nothing\n" });
  await startIndexer();
  await index();
  const chunks = await tables().selectFrom("code_chunks").select(["ordinal", "path", "symbols"]).orderBy("ordinal").execute();
  const paths = async (term: string) => {
    const rows = await tables().selectFrom("postings").selectAll().where("term", "=", term).execute();
    const found: string[] = [];
    for (const { docs, df } of rows) {
      const postings = readPostings(docs, df);
      expect(encodePostings(postings)).toEqual(docs);
      for (const { ordinal, impact } of postings) {
        expect(impact).toBeGreaterThan(0);
        found.push(chunks[ordinal]?.path ?? "");
      }
    }
    return found.toSorted();
  };
  expect(await paths("retry")).toEqual(["b.md", "src/retry.ts"]);
  expect(await paths("backoff")).toEqual(["src/retry.ts"]);
  expect(await paths("off")).toEqual(["src/retry.ts"]);
  expect(chunks.find(({ path }) => path === "src/retry.ts")?.symbols).toEqual(["backOff"]);
  expect(await tables().selectFrom("segments").select(["chunks"]).execute()).toEqual([{ chunks: 3 }]);
  const vectors = await sql<{ count: number }>`
    select count(*) from ${sql.id(tenant.schema, "vectors_1")} where embedding <#> embedding < -0.99
  `.execute(database.query);
  expect(vectors.rows[0]?.count).toBe(3);
});

test("a new build takes the place of the old one, of which nothing is left", async () => {
  await source.commit({ "a.txt": "old\n" });
  await startIndexer();
  await index();
  await source.commit({ "a.txt": "new\n" });
  await index("incremental");
  expect(await indexedFiles()).toEqual({ "a.txt": "new\n" });
  const { generation } = await mainRef();
  await vi.waitFor(async () => expect(await generations()).toEqual([generation]), { timeout: 10_000 });
  await vi.waitFor(
    async () => expect([await countRows("documents"), await countRows("code_chunks"), await countRows("segments")]).toEqual([1, 1, 1]),
    { timeout: 10_000 },
  );
});

test("without an embedder there are no vectors", async () => {
  await source.commit({ "a.txt": "a\n" });
  await startIndexer("none");
  await index();
  expect(await mainRef()).toMatchObject({ chunks: 1 });
  expect(await tables().selectFrom("embedders").selectAll().execute()).toEqual([]);
});

test("a repository that does not clone fails with git's own reason, at once", async () => {
  await source.remove();
  await startIndexer();
  const job = await jobWith((await enqueue()).job_id, "failed");
  expect(job.error_message).toContain("does not appear to be a git repository");
  expect(job.completed_at).toBeInstanceOf(Date);
  expect(await reload()).toMatchObject({ index_status: "failed", last_error: job.error_message, refs: [] });
});

test("a failed build leaves the good index in place", async () => {
  await source.commit({ "a.txt": "good\n" });
  await startIndexer();
  await index();
  const good = await mainRef();
  await source.remove();
  await jobWith((await enqueue()).job_id, "failed");
  expect(await indexedFiles()).toEqual({ "a.txt": "good\n" });
  expect(await reload()).toMatchObject({ index_status: "failed", refs: [good] });
});

test("a name or word that no key of the database's can hold does not keep the rest from being indexed", async () => {
  await source.commit({ "a.ts": "export const good = 1;\n", "b.ts": `const a${"\u{1D400}".repeat(40)} = 1;\n` });
  const blob = source.git("hash-object", "a.ts");
  const overlong = Array.from({ length: 20 }, (_, number) => createHash("sha512").update(`${number}`).digest("hex")).join("/");
  for (const name of ["x.ts", "y.ts"]) {
    source.git("update-index", "--add", "--cacheinfo", `100644,${blob},${overlong}/${name}`);
  }
  source.git("commit", "--quiet", "--message", "Overlong");
  await startIndexer();
  await index();
  expect(Object.keys(await indexedFiles())).toEqual(["a.ts", "b.ts"]);
  const skipped = await tables().selectFrom("files").select(["path", "skip_reason"]).where("skip_reason", "is not", null).execute();
  expect(skipped).toEqual([{ path: `${overlong.slice(0, 600)}…`, skip_reason: "a path longer than 2,000 bytes" }]);
});

test("a file of any size has a row", async () => {
  const { job_id: jobId } = await enqueue();
  const of = { tenantId, schema: tenant.schema, role: tenant.role, repoId: repository.id, ref: "main" };
  const build = await beginBuild(database.query, { ...of, lease: { jobId, workerId: "w" }, now: clock.now() });
  const file = { path: "big.bin", blob: "0", bytes: 5 * 2 ** 30, skip_reason: "larger than 1 MiB" };
  await insertSkippedFiles(database, build, [file]);
  expect(await tables().selectFrom("files").select("bytes").execute()).toEqual([{ bytes: file.bytes }]);
});

test("two indexers share the queue, and one runs each job", async () => {
  await source.commit({ "a.txt": "a\n" });
  const indexer = await startIndexer();
  const [one] = await Promise.all([index(), startIndexer()]);
  const two = await index();
  await indexer.stop();
  const three = await index();
  expect(new Set([one.worker_id, two.worker_id, three.worker_id]).size).toBeLessThanOrEqual(2);
  expect(three.worker_id).not.toBeNull();
  expect(await indexedFiles()).toEqual({ "a.txt": "a\n" });
});

test("the job of a killed indexer fails as orphaned and is run again by another", async () => {
  await source.commit({ "a.txt": "a\n" });
  const { job_id: jobId } = await enqueue();
  const longAgo = new Date(clock.now().getTime() - 600_000);
  await database.query
    .updateTable("codeindex.index_jobs")
    .set({ status: "running", worker_id: "killed", started_at: longAgo, heartbeat_at: longAgo, progress_at: longAgo })
    .execute();
  await startIndexer();
  const watchdog = createWatchdog({ database, log: silentLog, clock });
  await watchdog.start();
  await watchdog.stop();
  expect(await getJob(database, { tenantId, jobId })).toMatchObject({
    status: "failed",
    error_message: expect.stringContaining("orphaned"),
  });
  await database.query.updateTable("codeindex.index_jobs").set({ not_before: longAgo }).where("status", "=", "queued").execute();
  await vi.waitFor(async () => expect(await indexedFiles()).toEqual({ "a.txt": "a\n" }), { timeout: 25_000 });
});

test("a stopped indexer gives its job back within seconds, and the next one finishes it", async () => {
  await source.commit(Object.fromEntries(Array.from({ length: 60 }, (_, file) => [`f${file}.txt`, largeText.slice(0, 20_000)])));
  const first = await startIndexer();
  const { job_id: jobId } = await enqueue();
  await jobWith(jobId, "running");
  const began = Date.now();
  await first.stop();
  expect(Date.now() - began).toBeLessThan(8_000);
  expect(await getJob(database, { tenantId, jobId })).toMatchObject({ status: "queued", worker_id: null, started_at: null });
  await startIndexer();
  await jobWith(jobId, "succeeded");
  expect(Object.keys(await indexedFiles())).toHaveLength(60);
});

test("a build whose job was taken away is not switched to, and leaves nothing behind", async () => {
  await source.commit(Object.fromEntries(Array.from({ length: 60 }, (_, file) => [`f${file}.txt`, largeText.slice(0, 20_000)])));
  await startIndexer();
  const { job_id: jobId } = await enqueue();
  await vi.waitFor(async () => expect(await generations()).toHaveLength(1), { timeout: 25_000, interval: 5 });
  await database.query.updateTable("codeindex.index_jobs").set({ status: "failed" }).where("job_id", "=", jobId).execute();
  await vi.waitFor(async () => expect(await generations()).toEqual([]), { timeout: 25_000 });
  expect(await reload()).toMatchObject({ refs: [] });
  expect([await countRows("documents"), await countRows("code_chunks"), await countRows("segments")]).toEqual([0, 0, 0]);
});

test("a running job ends when somebody cancels it", async () => {
  // Work for many seconds on any machine; little of it is done.
  await source.commit(Object.fromEntries(Array.from({ length: 1_500 }, (_, file) => [`f${file}.txt`, largeText.slice(0, 30_000)])));
  await startIndexer();
  const { job_id: jobId } = await enqueue();
  await jobWith(jobId, "running");
  await requestCancel(database, { tenantId, jobId, now: clock.now() });
  await jobWith(jobId, "cancelled");
  expect(await reload()).toMatchObject({ index_status: "pending", refs: [] });
});
