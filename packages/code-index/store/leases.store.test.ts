import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { enqueueJob, getJob, listJobs, requestCancel } from "./jobs.store.ts";
import { failOrphans, failStuck } from "./failed-jobs.store.ts";
import { cancelJob, claimJob, failJob, releaseJob, renewLease } from "./leases.store.ts";
import { codeIndexMigrations } from "./migrations.ts";
import { getRepository, registerRepository, type RepositoryRow } from "./repositories.store.ts";
import { ensureTenant } from "./tenant.ts";

const tenantId = "t1";
const start = new Date("2026-01-01T00:00:00Z");

let database: TestDatabase<CodeIndexTables>;
let repository: RepositoryRow;
let number = 0;

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  await ensureTenant(database, { tenantId, name: "one" });
  await ensureTenant(database, { tenantId: "t2", name: "two" });
});

afterAll(() => database.drop());

beforeEach(async () => {
  await database.query.deleteFrom("codeindex.repositories").execute();
  repository = await registerRepository(database, { tenantId, fullName: `o/r${number++}`, cloneUrl: "file:///x" });
});

const after = (seconds: number) => new Date(start.getTime() + seconds * 1_000);
const enqueue = (changes: Partial<Parameters<typeof enqueueJob>[1]> = {}) =>
  enqueueJob(database, { tenantId, repoId: repository.id, mode: "full", trigger: "api", now: start, ...changes });
const claim = (workerId: string, now = start) => claimJob(database, { workerId, now });
const reload = () => getRepository(database, { tenantId, id: repository.id });
const statuses = async () => (await listJobs(database, { tenantId, limit: 10 })).map(({ status }) => status);

test("requests for one repository fold into the one that waits, and a full one wins", async () => {
  const first = await enqueue({ mode: "incremental" });
  const second = await enqueue({ mode: "full" });
  const third = await enqueue({ mode: "incremental" });
  expect([second.job_id, third.job_id]).toEqual([first.job_id, first.job_id]);
  expect(third.mode).toBe("full");
  expect(await statuses()).toEqual(["queued"]);
});

test("nobody indexes or sees a repository or job of another tenant", async () => {
  await expect(enqueue({ tenantId: "t2" })).rejects.toMatchObject({ code: "repository_not_found", status: 404 });
  const job = await enqueue();
  expect(await getJob(database, { tenantId: "t2", jobId: job.job_id })).toBeUndefined();
  expect(await requestCancel(database, { tenantId: "t2", jobId: job.job_id, now: start })).toBeUndefined();
  expect(await listJobs(database, { tenantId: "t2", limit: 10 })).toEqual([]);
  expect(await statuses()).toEqual(["queued"]);
});

test("of ten workers one gets the job", async () => {
  const job = await enqueue();
  const claimed = await Promise.all(Array.from({ length: 10 }, (_, index) => claim(`w${index}`)));
  expect(claimed.filter((one) => one !== undefined).map(({ jobId }) => jobId)).toEqual([job.job_id]);
  expect(await reload()).toMatchObject({ index_status: "indexing" });
});

test("a repository has one running job; the next waits for it", async () => {
  await enqueue();
  await claim("w1");
  await enqueue();
  expect(await claim("w2")).toBeUndefined();
  const other = await registerRepository(database, { tenantId, fullName: `o/r${number++}`, cloneUrl: "file:///y" });
  await enqueue({ repoId: other.id });
  expect(await claim("w2")).toMatchObject({ repoId: other.id, cloneUrl: "file:///y" });
});

test("a silent worker's job fails as orphaned at once, and is queued again after a pause", async () => {
  const job = await enqueue();
  await claim("w1");
  expect(await failOrphans(database, { now: after(59) })).toBe(0);
  expect(await failOrphans(database, { now: after(61) })).toBe(1);
  expect(await getJob(database, { tenantId, jobId: job.job_id })).toMatchObject({
    status: "failed",
    completed_at: after(61),
    error_message: expect.stringContaining("orphaned"),
  });
  expect(await reload()).toMatchObject({ index_status: "indexing", last_error: expect.stringContaining("orphaned") });
  expect(await claim("w2", after(65))).toBeUndefined();
  expect(await claim("w2", after(72))).toMatchObject({ attempt: 2 });
});

test("a worker that renews its lease is healthy however long it runs", async () => {
  await enqueue();
  const job = await claim("w1");
  if (job === undefined) {
    throw new Error("nothing claimed");
  }
  const progress = { phase: "files", done: 1, total: 2 };
  expect(await renewLease(database, { ...job, now: after(3_600), progress })).toBe("held");
  expect(await failOrphans(database, { now: after(3_630) })).toBe(0);
  expect(await failStuck(database, { now: after(3_630) })).toBe(0);
  expect(await getJob(database, { tenantId, jobId: job.jobId })).toMatchObject({ status: "running", progress });
});

test("a job that only says it lives, and gets no further for 30 minutes, fails as stuck", async () => {
  await enqueue();
  const job = await claim("w1");
  if (job === undefined) {
    throw new Error("nothing claimed");
  }
  await renewLease(database, { ...job, now: after(1_830), progress: undefined });
  expect(await failStuck(database, { now: after(1_799) })).toBe(0);
  expect(await failStuck(database, { now: after(1_831) })).toBe(1);
  expect(await renewLease(database, { ...job, now: after(1_832), progress: undefined })).toBe("lost");
});

test("a job is tried three times, then its repository has failed", async () => {
  await enqueue();
  for (const [attempt, seconds] of [0, 60, 600].entries()) {
    const job = await claim("w1", after(seconds));
    expect(job?.attempt).toBe(attempt + 1);
    await failJob(database, { jobId: job?.jobId ?? "", workerId: "w1", now: after(seconds), reason: "no network", retry: true });
  }
  expect(await statuses()).toEqual(["failed", "failed", "failed"]);
  expect(await reload()).toMatchObject({ index_status: "failed", last_error: "no network" });
});

test("what can't go better is not tried again", async () => {
  await enqueue();
  const job = await claim("w1");
  await failJob(database, { jobId: job?.jobId ?? "", workerId: "w1", now: start, reason: "not found", retry: false });
  expect(await statuses()).toEqual(["failed"]);
});

test("a worker without the lease changes nothing", async () => {
  const { job_id: jobId } = await enqueue();
  await claim("w1");
  const stranger = { jobId, workerId: "w2", now: start };
  await failJob(database, { ...stranger, reason: "x", retry: true });
  await cancelJob(database, stranger);
  await releaseJob(database, stranger);
  expect(await renewLease(database, { ...stranger, progress: undefined })).toBe("lost");
  expect(await getJob(database, { tenantId, jobId })).toMatchObject({ status: "running", worker_id: "w1" });
});

test("a job given back is queued as it was, for anybody, at once", async () => {
  const { job_id: jobId } = await enqueue();
  await claim("w1");
  await releaseJob(database, { jobId, workerId: "w1", now: after(5) });
  expect(await claim("w2", after(5))).toMatchObject({ jobId, attempt: 1 });
});

test("a job given back while a newer one waits makes way for it", async () => {
  const { job_id: jobId } = await enqueue();
  await claim("w1");
  const newer = await enqueue();
  await releaseJob(database, { jobId, workerId: "w1", now: after(5) });
  expect(await getJob(database, { tenantId, jobId })).toMatchObject({ status: "cancelled", completed_at: after(5) });
  expect(await claim("w2", after(5))).toMatchObject({ jobId: newer.job_id });
});

test("a queued job is cancelled at once, a running one when its worker hears of it", async () => {
  const queued = await enqueue();
  expect(await requestCancel(database, { tenantId, jobId: queued.job_id, now: start })).toMatchObject({ status: "cancelled" });
  const { job_id: jobId } = await enqueue();
  await claim("w1");
  expect(await requestCancel(database, { tenantId, jobId, now: start })).toMatchObject({ status: "running" });
  expect(await renewLease(database, { jobId, workerId: "w1", now: start, progress: undefined })).toBe("cancelled");
  await cancelJob(database, { jobId, workerId: "w1", now: start });
  expect(await getJob(database, { tenantId, jobId })).toMatchObject({ status: "cancelled", completed_at: start });
  expect(await reload()).toMatchObject({ index_status: "pending" });
});

test("a repository is registered once in a tenant, and by any other tenant as well", async () => {
  const given = { fullName: repository.full_name, cloneUrl: "file:///x" };
  await expect(registerRepository(database, { tenantId, ...given })).rejects.toMatchObject({ code: "repository_exists", status: 409 });
  await registerRepository(database, { tenantId: "t2", ...given });
  expect(await getRepository(database, { tenantId: "t2", id: repository.id })).toBeUndefined();
});

test("a repository whose waiting attempt is cancelled is no longer said to be indexed", async () => {
  await enqueue();
  await claim("w1");
  await failOrphans(database, { now: after(61) });
  const [retry] = await listJobs(database, { tenantId, limit: 1 });
  expect(await requestCancel(database, { tenantId, jobId: retry?.job_id ?? "", now: after(62) })).toMatchObject({ status: "cancelled" });
  expect(await reload()).toMatchObject({ index_status: "failed", last_error: expect.stringContaining("orphaned") });
});

test("a cancelled job whose worker stops or dies is not run again, nor is a request after it", async () => {
  const given = await enqueue();
  await claim("w1");
  await requestCancel(database, { tenantId, jobId: given.job_id, now: start });
  await releaseJob(database, { jobId: given.job_id, workerId: "w1", now: after(1) });
  expect(await getJob(database, { tenantId, jobId: given.job_id })).toMatchObject({ status: "cancelled", completed_at: after(1) });
  expect(await reload()).toMatchObject({ index_status: "pending" });

  const orphan = await enqueue();
  await claim("w1", after(2));
  await requestCancel(database, { tenantId, jobId: orphan.job_id, now: after(2) });
  await failOrphans(database, { now: after(70) });
  expect(await statuses()).toEqual(["failed", "cancelled"]);
});
