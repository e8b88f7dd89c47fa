import { randomUUID } from "node:crypto";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql, type Insertable } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { enqueueJob, getJob, listJobs, requestCancel } from "./jobs.store.ts";
import { failOrphans, failStuck, mendEndedByHand } from "./failed-jobs.store.ts";
import { settleIndexStatus } from "./index-status.store.ts";
import { cancelJob, checkLease, claimJob, failJob, releaseJob, renewLease } from "./leases.store.ts";
import { codeIndexMigrations } from "./migrations.ts";
import { deleteOldJobs } from "./old-jobs.store.ts";
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

test("branches of one repository fold each for itself, and never run at the same time", needsRealPostgres, async () => {
  const main = await enqueue({ mode: "incremental" });
  const branch = await enqueue({ mode: "incremental", ref: "release" });
  const again = await enqueue({ mode: "incremental", ref: "release", commit: "abc" });
  expect(branch.job_id).not.toBe(main.job_id);
  expect(again).toMatchObject({ job_id: branch.job_id, ref: "release", requested_commit: "abc" });
  const claimed = await Promise.all(Array.from({ length: 10 }, (_, index) => claim(`w${index}`)));
  expect(claimed.filter((one) => one !== undefined)).toHaveLength(1);
});

test("a job that names the default branch is one of the default branch", async () => {
  await database.query.updateTable("codeindex.repositories").set({ default_branch: "main" }).execute();
  const first = await enqueue();
  const second = await enqueue({ ref: "main" });
  expect(second).toMatchObject({ job_id: first.job_id, ref: null });
});

test("a claimed job knows how many pushes it will hold", async () => {
  await refOf(repository, { is_default: true, pushes_received: 7 });
  await enqueue();
  expect(await claim("w1")).toMatchObject({ pushesSeen: 7, ref: null, include: [], exclude: [] });
  await refOf(repository, { name: "release", pushes_received: 3 });
  const other = await registerRepository(database, { tenantId, fullName: `o/r${number++}`, cloneUrl: "file:///y" });
  await enqueue({ repoId: other.id, ref: "release" });
  expect(await claim("w2")).toMatchObject({ pushesSeen: 0, ref: "release" });
});

test("a tenant with a thousand jobs does not keep another one's only job waiting", async () => {
  await queueMany(1_000);
  const small = await registerRepository(database, { tenantId: "t2", fullName: "o/small", cloneUrl: "file:///y" });
  await claim("w1", after(1));
  const job = await enqueue({ tenantId: "t2", repoId: small.id, now: after(2) });
  expect(await claim("w1", after(3))).toMatchObject({ jobId: job.job_id });
  // Also when nothing else runs: who was served longest ago is next.
  await database.query.updateTable("codeindex.index_jobs").set({ status: "succeeded", completed_at: start }).where("status", "=", "running").execute();
  const second = await enqueue({ tenantId: "t2", repoId: small.id, now: after(4) });
  expect((await claim("w1", after(5)))?.tenantId).toBe(tenantId);
  expect(await claim("w1", after(6))).toMatchObject({ jobId: second.job_id });
});

test("a push does not wait for a thousand first builds, nor a first build for the pushes to a busy repository", async () => {
  await queueMany(1_000);
  const modes: string[] = [];
  for (let second = 1; second <= 6; second += 1) {
    await enqueue({ mode: "incremental", now: after(second) });
    const job = await claim("w1", after(second));
    modes.push(job?.mode ?? "");
    await database.query.updateTable("codeindex.index_jobs").set({ status: "succeeded", completed_at: start }).where("job_id", "=", job?.jobId ?? "").execute();
  }
  expect(modes.toSorted()).toEqual(["full", "full", "full", "incremental", "incremental", "incremental"]);
});

test("a lane for small jobs takes only updates of what is indexed", async () => {
  await enqueue({ mode: "incremental" });
  const claimSmall = () => claimJob(database, { workerId: "w1", now: start, small: true });
  expect(await claimSmall()).toBeUndefined();
  await refOf(repository, { is_default: true, generation: 1 });
  const job = await claimSmall();
  expect(job?.mode).toBe("incremental");
  await releaseJob(database, { jobId: job?.jobId ?? "", workerId: "w1", now: start });
  await enqueue({ mode: "full" });
  expect(await claimSmall()).toBeUndefined();
});

test("a repository or tenant that is being deleted is indexed no more", async () => {
  const deleting = (deleting_at: Date | null) => ({ deleting_at });
  await enqueue();
  await database.query.updateTable("codeindex.repositories").set(deleting(start)).execute();
  expect(await claim("w1")).toBeUndefined();
  await expect(enqueue()).rejects.toMatchObject({ code: "repository_not_found" });
  await database.query.updateTable("codeindex.repositories").set(deleting(null)).execute();
  await database.query.updateTable("codeindex.tenants").set(deleting(start)).where("tenant_id", "=", tenantId).execute();
  expect(await claim("w1")).toBeUndefined();
  await database.query.updateTable("codeindex.tenants").set(deleting(null)).execute();
  expect(await claim("w1")).toBeDefined();
});

test("the state of a repository is that of its latest jobs, branch by branch, and an index that is there stays served", async () => {
  await database.query.updateTable("codeindex.repositories").set({ branches: ["release"] }).execute();
  const failed = await enqueue({ ref: "release" });
  await claim("w1");
  await failJob(database, { jobId: failed.job_id, workerId: "w1", now: start, reason: "no such branch", retry: false });
  await refOf(repository, { is_default: true, generation: 3, indexed_commit: "abc" });
  const good = await enqueue();
  await claim("w1", after(1));
  await cancelJob(database, { jobId: good.job_id, workerId: "w1", now: after(2) });
  expect(await reload()).toMatchObject({ index_status: "failed", last_error: "release: no such branch" });
  // A branch that is no longer wanted says nothing any more.
  await database.query.updateTable("codeindex.repositories").set({ branches: [] }).execute();
  await database.query.transaction().execute((transaction) => settleIndexStatus(transaction, [repository.id]));
  expect(await reload()).toMatchObject({ index_status: "ready", last_error: null });
});

test("while a provider refuses what waits for its vectors, the state stays indexing", async () => {
  await refOf(repository, { is_default: true, generation: 3, vectors_pending: 5, vectors_error: "quota exceeded" });
  const settle = () => database.query.transaction().execute((transaction) => settleIndexStatus(transaction, [repository.id]));
  await settle();
  expect(await reload()).toMatchObject({ index_status: "indexing" });
  await database.query.updateTable("codeindex.refs").set({ vectors_pending: 0, vectors_error: null }).execute();
  await settle();
  expect(await reload()).toMatchObject({ index_status: "ready" });
});

test("an operator who sets a running job to failed ends it for good", async () => {
  const { job_id: jobId } = await enqueue();
  await claim("w1");
  await sql`update codeindex.index_jobs set status = 'failed', error_message = 'by hand' where job_id = ${jobId}`.execute(database.query);
  expect(await checkLease(database, { jobId, workerId: "w1" })).toBe("lost");
  await failJob(database, { jobId, workerId: "w1", now: after(1), reason: "x", retry: true });
  expect(await mendEndedByHand(database, { now: after(2) })).toBe(1);
  expect(await getJob(database, { tenantId, jobId })).toMatchObject({ status: "failed", error_message: "by hand", completed_at: after(2) });
  expect(await reload()).toMatchObject({ index_status: "failed", last_error: "by hand" });
  expect(await statuses()).toEqual(["failed"]);
});

test("a running job that names no worker at all is an orphan too", async () => {
  await enqueue();
  await sql`update codeindex.index_jobs set status = 'running', started_at = ${start}`.execute(database.query);
  expect(await failOrphans(database, { now: after(61) })).toBe(1);
});

test("a job whose worker is silent is cancelled at once", async () => {
  const { job_id: jobId } = await enqueue();
  await claim("w1");
  expect(await requestCancel(database, { tenantId, jobId, now: after(61) })).toMatchObject({ status: "cancelled", completed_at: after(61) });
  expect(await reload()).toMatchObject({ index_status: "pending" });
});

test("lists are filtered and paged, and a hundred thousand old jobs do not slow them", async () => {
  await sql`
    insert into codeindex.index_jobs (job_id, repo_id, tenant_id, status, mode, trigger, created_at, completed_at)
    select (lpad(to_hex(n), 12, '0') || '7000800000000000' || lpad(to_hex(n % 65536), 4, '0'))::uuid, ${repository.id}, ${tenantId},
      case when n % 1000 = 0 then 'failed' else 'succeeded' end, 'incremental', 'webhook', ${start}, ${start}
    from generate_series(1, 100000) as n
  `.execute(database.query);
  await sql`analyze codeindex.index_jobs`.execute(database.query);
  const first = await listJobs(database, { tenantId, status: "failed", trigger: "webhook", limit: 10 });
  const second = await listJobs(database, { tenantId, status: "failed", trigger: "webhook", after: first.at(-1)?.job_id, limit: 10 });
  expect(first).toHaveLength(10);
  expect(second[0]?.job_id.localeCompare(first.at(-1)?.job_id ?? "")).toBe(-1);
  for (const filter of [{}, { repoId: repository.id }, { status: "failed" as const }, { status: "queued" as const }]) {
    const began = performance.now();
    await listJobs(database, { tenantId, ...filter, limit: 50 });
    expect(performance.now() - began).toBeLessThan(100);
  }
  expect(await listJobs(database, { tenantId, trigger: "api", limit: 50 })).toEqual([]);
});

test("jobs that ended over 90 days ago are forgotten, the latest twenty of a branch apart", async () => {
  for (let job = 0; job < 30; job += 1) {
    await enqueue({ ref: job % 10 === 0 ? "release" : undefined });
    await sql`update codeindex.index_jobs set status = 'succeeded', completed_at = ${start} where status = 'queued'`.execute(database.query);
  }
  expect(await deleteOldJobs(database, { now: after(89 * 86_400) })).toBe(false);
  expect(await listJobs(database, { tenantId, limit: 100 })).toHaveLength(30);
  await deleteOldJobs(database, { now: after(91 * 86_400) });
  expect(await listJobs(database, { tenantId, limit: 100 })).toHaveLength(23);
});

async function refOf(of: RepositoryRow, changes: Partial<Insertable<CodeIndexTables["codeindex.refs"]>>): Promise<void> {
  await database.query
    .insertInto("codeindex.refs")
    .values({ ref_id: randomUUID(), repo_id: of.id, tenant_id: of.tenant_id, name: "main", is_default: false, ...changes })
    .execute();
}

/** First builds of as many repositories. */
async function queueMany(count: number): Promise<void> {
  await sql`
    insert into codeindex.repositories (id, tenant_id, full_name, clone_url)
    select gen_random_uuid(), ${tenantId}, 'o/many' || n, 'file:///many' from generate_series(1, ${count}) as n
  `.execute(database.query);
  await sql`
    insert into codeindex.index_jobs (job_id, repo_id, tenant_id, mode, trigger, not_before)
    select gen_random_uuid(), id, ${tenantId}, 'full', 'registration', ${start} from codeindex.repositories where full_name like 'o/many%'
  `.execute(database.query);
}
