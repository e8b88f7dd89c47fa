import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { after, createJobQueue, start, type JobQueue } from "#testing/job-queue.ts";
import { failOrphans } from "./failed-jobs.store.ts";
import { getJob, getJobsOfAnybody, listJobs, requestCancel } from "./jobs.store.ts";
import { cancelJob, renewLease } from "./leases.store.ts";
import { deleteOldJobs } from "#indexing/housekeeping.store.ts";
import { getRepository } from "./read-repositories.store.ts";
import { registerRepository } from "./repositories.store.ts";

const tenantId = "t1";

let queue: JobQueue;

beforeAll(async () => {
  queue = await createJobQueue();
});

afterAll(() => queue.database.drop());

beforeEach(() => queue.clear());

test("requests for one repository fold into the one that waits, and a full one wins", async () => {
  const first = await queue.enqueue({ mode: "incremental" });
  const second = await queue.enqueue({ mode: "full" });
  const third = await queue.enqueue({ mode: "incremental" });
  expect([second.job_id, third.job_id]).toEqual([first.job_id, first.job_id]);
  expect(third.mode).toBe("full");
  expect(await queue.statuses()).toEqual(["queued"]);
});

test("of no jobs there are none", async () => {
  await queue.enqueue();
  expect(await getJobsOfAnybody(queue.database, [])).toEqual([]);
});

test("nobody indexes or sees a repository or job of another tenant", async () => {
  await expect(queue.enqueue({ tenantId: "t2" })).rejects.toMatchObject({ code: "repository_not_found", status: 404 });
  const job = await queue.enqueue();
  expect(await getJob(queue.database, { tenantId: "t2", jobId: job.job_id })).toBeUndefined();
  expect(await requestCancel(queue.database, { tenantId: "t2", jobId: job.job_id, now: start })).toBeUndefined();
  expect(await listJobs(queue.database, { tenantId: "t2", limit: 10 })).toEqual([]);
  expect(await queue.statuses()).toEqual(["queued"]);
});

test("a queued job is cancelled at once, a running one when its worker hears of it", async () => {
  const queued = await queue.enqueue();
  expect(await requestCancel(queue.database, { tenantId, jobId: queued.job_id, now: start })).toMatchObject({ status: "cancelled" });
  const { job_id: jobId } = await queue.enqueue();
  await queue.claim("w1");
  expect(await requestCancel(queue.database, { tenantId, jobId, now: start })).toMatchObject({ status: "running" });
  expect(await renewLease(queue.database, { jobId, workerId: "w1", now: start, progress: undefined })).toBe("cancelled");
  await cancelJob(queue.database, { jobId, workerId: "w1", now: start });
  expect(await getJob(queue.database, { tenantId, jobId })).toMatchObject({ status: "cancelled", completed_at: start });
  expect(await queue.reload()).toMatchObject({ index_status: "pending" });
});

test("a repository is registered once in a tenant, and by any other tenant as well", async () => {
  const given = { fullName: queue.repository().full_name, cloneUrl: "file:///x" };
  await expect(registerRepository(queue.database, { tenantId, ...given })).rejects.toMatchObject({
    code: "repository_exists",
    status: 409,
  });
  await registerRepository(queue.database, { tenantId: "t2", ...given });
  expect(await getRepository(queue.database, { tenant: { ...queue.tenant, tenantId: "t2" }, id: queue.repository().id })).toBeUndefined();
});

test("a repository whose waiting attempt is cancelled is no longer said to be indexed", async () => {
  await queue.enqueue();
  await queue.claim("w1");
  await failOrphans(queue.database, { now: after(61), each: eachOwnerUnderTest() });
  const [retry] = await listJobs(queue.database, { tenantId, limit: 1 });
  expect(await requestCancel(queue.database, { tenantId, jobId: retry?.job_id ?? "", now: after(62) })).toMatchObject({
    status: "cancelled",
  });
  expect(await queue.reload()).toMatchObject({ index_status: "failed", last_error: expect.stringContaining("orphaned") });
});

test("a job whose worker is silent is cancelled at once", async () => {
  const { job_id: jobId } = await queue.enqueue();
  await queue.claim("w1");
  expect(await requestCancel(queue.database, { tenantId, jobId, now: after(61) })).toMatchObject({
    status: "cancelled",
    completed_at: after(61),
  });
  expect(await queue.reload()).toMatchObject({ index_status: "pending" });
});

test("lists are filtered and paged", async () => {
  await sql`
    insert into codeindex.index_jobs (job_id, repo_id, tenant_id, status, mode, trigger, created_at, completed_at)
    select (lpad(to_hex(n), 12, '0') || '7000800000000000' || lpad(to_hex(n % 65536), 4, '0'))::uuid, ${queue.repository().id}, ${tenantId},
      case when n % 100 = 0 then 'failed' else 'succeeded' end, 'incremental', 'webhook', ${start}, ${start}
    from generate_series(1, 2000) as n
  `.execute(queue.database.query);
  const first = await listJobs(queue.database, { tenantId, status: "failed", trigger: "webhook", limit: 10 });
  const second = await listJobs(queue.database, { tenantId, status: "failed", trigger: "webhook", after: first.at(-1)?.job_id, limit: 10 });
  expect(first).toHaveLength(10);
  expect(second[0]?.job_id.localeCompare(first.at(-1)?.job_id ?? "")).toBe(-1);
  expect(await listJobs(queue.database, { tenantId, trigger: "api", limit: 50 })).toEqual([]);
});

test("jobs that ended over 90 days ago are forgotten, the latest twenty of a branch apart", async () => {
  for (let job = 0; job < 30; job += 1) {
    await queue.enqueue({ ref: job % 10 === 0 ? "release" : undefined });
    await sql`update codeindex.index_jobs set status = 'succeeded', completed_at = ${start} where status = 'queued'`.execute(
      queue.database.query,
    );
  }
  expect(await deleteOldJobs(queue.database, { now: after(89 * 86_400) })).toBe(false);
  expect(await listJobs(queue.database, { tenantId, limit: 100 })).toHaveLength(30);
  await deleteOldJobs(queue.database, { now: after(91 * 86_400) });
  expect(await listJobs(queue.database, { tenantId, limit: 100 })).toHaveLength(23);
});
