import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@sightline/foundation/clock";
import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { getJob, requestCancel, type JobRow } from "#store/records/jobs.store.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { createJobQueue, type JobQueue } from "#testing/job-queue.ts";
import { testConfig } from "#testing/test-config.ts";
import { createIndexer, type Indexer } from "./indexer.ts";

const tenantId = "t1";

let queue: JobQueue;
let source: GitRepository;
let dataDir: string;
let indexer: Indexer;

beforeEach(async () => {
  queue = await createJobQueue();
  source = await createGitRepository();
  await source.commit({ "a.txt": "first\n" });
  dataDir = await mkdtemp(join(tmpdir(), "sightline-data-"));
  await cloneFrom(source.url);
  indexer = createIndexer({ config: testConfig(dataDir), database: queue.database, log: silentLog, clock: systemClock });
  await indexer.start();
});

afterEach(async () => {
  await indexer.stop();
  await queue.database.drop();
  await source.remove();
  await rm(dataDir, { recursive: true, force: true });
});

const cloneFrom = (url: string) => queue.database.query.updateTable("codeindex.repositories").set({ clone_url: url }).execute();
const enqueue = async () => (await queue.enqueue({ now: new Date() })).job_id;

async function jobWith(jobId: string, expected: Partial<JobRow>, timeout = 20_000): Promise<void> {
  await vi.waitFor(async () => expect(await getJob(queue.database, { tenantId, jobId })).toMatchObject(expected), {
    timeout,
    interval: 25,
  });
}

async function indexOnce(): Promise<void> {
  await jobWith(await enqueue(), { status: "succeeded" });
}

/** How long it takes until the job is cancelled, in milliseconds. */
async function cancel(jobId: string): Promise<number> {
  const began = performance.now();
  await requestCancel(queue.database, { tenantId, jobId, now: new Date() });
  await jobWith(jobId, { status: "cancelled", completed_at: expect.any(Date) });
  return performance.now() - began;
}

/** A host that takes connections and never says a word. */
async function createSilentHost(): Promise<{ readonly server: Server; readonly port: number; readonly close: () => void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).resume();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    server,
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () => {
      server.close();
      sockets.forEach((socket) => socket.destroy());
    },
  };
}

test("a job that hangs in a fetch is cancelled within two seconds, and the good index is served", async () => {
  await indexOnce();
  const host = await createSilentHost();
  const connected = once(host.server, "connection");
  await cloneFrom(`https://localhost:${host.port}/o/r.git`);
  const jobId = await enqueue();
  await connected;
  expect(await cancel(jobId)).toBeLessThan(2_500);
  expect(await queue.reload()).toMatchObject({ index_status: "ready", last_error: null, refs: [{ generation: expect.any(Number) }] });
  host.close();
  await cloneFrom(source.url);
  await indexOnce();
});

test("a job that hangs in a write to the database is cancelled within two seconds", needsRealPostgres, async () => {
  await indexOnce();
  await source.commit({ "b.txt": "second\n" });
  const other = createDatabase<CodeIndexTables>({ url: queue.database.url, poolSize: 1, applicationName: "test", log: silentLog });
  const blocking = await other.pool.connect();
  await blocking.query(`begin; lock table "${queue.tenant.schema}".code_chunks in access exclusive mode`);
  const jobId = await enqueue();
  await vi.waitFor(
    async () => {
      const { rows } = await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        queue.database.query,
      );
      expect(rows).not.toEqual([]);
    },
    { timeout: 20_000 },
  );
  expect(await cancel(jobId)).toBeLessThan(2_500);
  expect(await queue.reload()).toMatchObject({ index_status: "ready", refs: [{ files: 1 }] });
  await blocking.query("rollback");
  blocking.release();
  await other.close();
  await indexOnce();
  expect(await queue.reload()).toMatchObject({ refs: [{ files: 2 }] });
});

test("a worker notices that an operator ended its job, stops, and writes nothing over it", async () => {
  const host = await createSilentHost();
  const connected = once(host.server, "connection");
  await cloneFrom(`https://localhost:${host.port}/o/r.git`);
  const jobId = await enqueue();
  const [connection] = (await connected) as [Socket];
  const isOver = once(connection, "close");
  await sql`
    update codeindex.index_jobs set status = 'failed', error_message = 'ended by hand' where job_id = ${jobId}
  `.execute(queue.database.query);
  // Git is killed, and with it the connection.
  await isOver;
  await jobWith(jobId, { status: "failed", error_message: "ended by hand", completed_at: expect.any(Date) });
  expect(await queue.statuses()).toEqual(["failed"]);
  await vi.waitFor(async () => expect(await queue.reload()).toMatchObject({ index_status: "failed", last_error: "ended by hand" }));
  host.close();
});

test("a job goes back to the queue at once when its indexer stops, though a fetch hangs", async () => {
  const host = await createSilentHost();
  const connected = once(host.server, "connection");
  await cloneFrom(`https://localhost:${host.port}/o/r.git`);
  const jobId = await enqueue();
  await connected;
  const began = performance.now();
  await indexer.stop();
  expect(performance.now() - began).toBeLessThan(5_000);
  await jobWith(jobId, { status: "queued", attempt: 1, started_at: null, worker_id: null });
  host.close();
});

/** A first build of a new repository, which hangs in its fetch. */
async function enqueueHanging(port: number, of: string): Promise<void> {
  const { id } = await queue.register(of);
  await queue.database.query
    .updateTable("codeindex.repositories")
    .set({ clone_url: `https://localhost:${port}/o/r.git` })
    .where("id", "=", id)
    .execute();
  await queue.enqueue({ tenantId: of, repoId: id, now: new Date() });
}

async function startAnother(concurrency: number): Promise<void> {
  await indexer.stop();
  const config = { ...testConfig(dataDir), CODEINDEX_INDEXER_CONCURRENCY: concurrency };
  indexer = createIndexer({ config, database: queue.database, log: silentLog, clock: systemClock });
  await indexer.start();
}

const running = async () => {
  const rows = await queue.database.query
    .selectFrom("codeindex.index_jobs")
    .select("tenant_id")
    .where("status", "=", "running")
    .orderBy("tenant_id")
    .execute();
  return rows.map((row) => row.tenant_id);
};

test.for([1, 2])("pushes go on beside first builds that take long, with %i at once", async (concurrency) => {
  await indexOnce();
  const host = await createSilentHost();
  for (const of of ["t1", "t2", "t1"]) {
    await enqueueHanging(host.port, of);
  }
  await startAnother(concurrency);
  await expect.poll(async () => (await running()).length).toBe(concurrency);
  await source.commit({ "b.txt": "second\n" });
  const push = await queue.enqueue({ mode: "incremental", trigger: "webhook", now: new Date() });
  await jobWith(push.job_id, { status: "succeeded" });
  expect(await running()).toHaveLength(concurrency);
  host.close();
});

test("a tenant's many first builds that take long do not keep another tenant from its first", async () => {
  const host = await createSilentHost();
  await indexer.stop();
  for (let count = 0; count < 4; count += 1) {
    await enqueueHanging(host.port, "t1");
  }
  await enqueueHanging(host.port, "t2");
  await startAnother(2);
  await expect.poll(running).toEqual(["t1", "t2"]);
  host.close();
});
