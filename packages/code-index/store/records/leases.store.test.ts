import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { after, createJobQueue, start, type JobQueue } from "#testing/job-queue.ts";
import { failOrphans, failStuck } from "./failed-jobs.store.ts";
import { getJob, requestCancel } from "./jobs.store.ts";
import { cancelJob, failJob, releaseJob, renewLease } from "./leases.store.ts";

const tenantId = "t1";

let queue: JobQueue;

beforeAll(async () => {
  queue = await createJobQueue();
});

afterAll(() => queue.database.drop());

beforeEach(() => queue.clear());

test("a silent worker's job fails as orphaned at once, and is queued again after a pause", async () => {
  const job = await queue.enqueue();
  await queue.claim("w1");
  expect(await failOrphans(queue.database, { now: after(59), each: eachOwnerUnderTest() })).toBe(0);
  expect(await failOrphans(queue.database, { now: after(61), each: eachOwnerUnderTest() })).toBe(1);
  expect(await getJob(queue.database, { tenantId, jobId: job.job_id })).toMatchObject({
    status: "failed",
    completed_at: after(61),
    error_message: expect.stringContaining("orphaned"),
  });
  expect(await queue.reload()).toMatchObject({ index_status: "indexing", last_error: expect.stringContaining("orphaned") });
  expect(await queue.claim("w2", after(65))).toBeUndefined();
  expect(await queue.claim("w2", after(72))).toMatchObject({ attempt: 2 });
});

test("an orphan that can't be ended keeps no other from being ended", async () => {
  const other = await queue.register("t2");
  const [first, second] = [await queue.enqueue(), await queue.enqueue({ tenantId: "t2", repoId: other.id })];
  await sql`update codeindex.index_jobs set status = 'running', worker_id = 'w1', started_at = ${start}, heartbeat_at = ${start}`.execute(
    queue.database.query,
  );
  await sql`create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`.execute(
    queue.database.query,
  );
  await sql`
    create trigger refused before update on codeindex.index_jobs for each row
    when (new.status = 'failed' and new.job_id = ${sql.lit(first.job_id)}) execute function public.refuse()`.execute(queue.database.query);
  expect(await failOrphans(queue.database, { now: after(61), each: eachOwnerUnderTest() })).toBe(1);
  expect(await getJob(queue.database, { tenantId: "t2", jobId: second.job_id })).toMatchObject({ status: "failed" });
  await sql`drop function public.refuse() cascade`.execute(queue.database.query);
  expect(await failOrphans(queue.database, { now: after(61), each: eachOwnerUnderTest() })).toBe(1);
});

test("a worker that renews its lease is healthy however long it runs", async () => {
  await queue.enqueue();
  const job = await queue.claim("w1");
  if (job === undefined) {
    throw new Error("nothing claimed");
  }
  const progress = { phase: "files", done: 1, total: 2 };
  expect(await renewLease(queue.database, { ...job, now: after(3_600), progress })).toBe("held");
  expect(await failOrphans(queue.database, { now: after(3_630), each: eachOwnerUnderTest() })).toBe(0);
  expect(await failStuck(queue.database, { now: after(3_630), each: eachOwnerUnderTest() })).toBe(0);
  expect(await getJob(queue.database, { tenantId, jobId: job.jobId })).toMatchObject({ status: "running", progress });
});

test("a job that only says it lives, and gets no further for 30 minutes, fails as stuck", async () => {
  await queue.enqueue();
  const job = await queue.claim("w1");
  if (job === undefined) {
    throw new Error("nothing claimed");
  }
  await renewLease(queue.database, { ...job, now: after(1_830), progress: undefined });
  expect(await failStuck(queue.database, { now: after(1_799), each: eachOwnerUnderTest() })).toBe(0);
  expect(await failStuck(queue.database, { now: after(1_831), each: eachOwnerUnderTest() })).toBe(1);
  expect(await renewLease(queue.database, { ...job, now: after(1_832), progress: undefined })).toBe("lost");
});

test("a job is tried three times, then its repository has failed", async () => {
  await queue.enqueue();
  for (const [attempt, seconds] of [0, 60, 600].entries()) {
    const job = await queue.claim("w1", after(seconds));
    expect(job?.attempt).toBe(attempt + 1);
    await failJob(queue.database, { jobId: job?.jobId ?? "", workerId: "w1", now: after(seconds), reason: "no network", retry: true });
  }
  expect(await queue.statuses()).toEqual(["failed", "failed", "failed"]);
  expect(await queue.reload()).toMatchObject({ index_status: "failed", last_error: "no network" });
});

test("what can't go better is not tried again", async () => {
  await queue.enqueue();
  const job = await queue.claim("w1");
  await failJob(queue.database, { jobId: job?.jobId ?? "", workerId: "w1", now: start, reason: "not found", retry: false });
  expect(await queue.statuses()).toEqual(["failed"]);
});

test("a worker without the lease changes nothing", async () => {
  const { job_id: jobId } = await queue.enqueue();
  await queue.claim("w1");
  const stranger = { jobId, workerId: "w2", now: start };
  await failJob(queue.database, { ...stranger, reason: "x", retry: true });
  await cancelJob(queue.database, stranger);
  await releaseJob(queue.database, stranger);
  expect(await renewLease(queue.database, { ...stranger, progress: undefined })).toBe("lost");
  expect(await getJob(queue.database, { tenantId, jobId })).toMatchObject({ status: "running", worker_id: "w1" });
});

test("a job given back is queued as it was, for anybody, at once", async () => {
  const { job_id: jobId } = await queue.enqueue();
  await queue.claim("w1");
  await releaseJob(queue.database, { jobId, workerId: "w1", now: after(5) });
  expect(await queue.claim("w2", after(5))).toMatchObject({ jobId, attempt: 1 });
});

test("a job given back while a newer one waits makes way for it", async () => {
  const { job_id: jobId } = await queue.enqueue();
  await queue.claim("w1");
  const newer = await queue.enqueue();
  await releaseJob(queue.database, { jobId, workerId: "w1", now: after(5) });
  expect(await getJob(queue.database, { tenantId, jobId })).toMatchObject({ status: "cancelled", completed_at: after(5) });
  expect(await queue.claim("w2", after(5))).toMatchObject({ jobId: newer.job_id });
});

test("a cancelled job whose worker stops or dies is not run again, nor is a request after it", async () => {
  const given = await queue.enqueue();
  await queue.claim("w1");
  await requestCancel(queue.database, { tenantId, jobId: given.job_id, now: start });
  await releaseJob(queue.database, { jobId: given.job_id, workerId: "w1", now: after(1) });
  expect(await getJob(queue.database, { tenantId, jobId: given.job_id })).toMatchObject({ status: "cancelled", completed_at: after(1) });
  expect(await queue.reload()).toMatchObject({ index_status: "pending" });

  const orphan = await queue.enqueue();
  await queue.claim("w1", after(2));
  await requestCancel(queue.database, { tenantId, jobId: orphan.job_id, now: after(2) });
  await failOrphans(queue.database, { now: after(70), each: eachOwnerUnderTest() });
  expect(await queue.statuses()).toEqual(["failed", "cancelled"]);
});

test("a running job that names no worker at all is an orphan too", async () => {
  await queue.enqueue();
  await sql`update codeindex.index_jobs set status = 'running', started_at = ${start}`.execute(queue.database.query);
  expect(await failOrphans(queue.database, { now: after(61), each: eachOwnerUnderTest() })).toBe(1);
});
