import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { after, createJobQueue, start, type JobQueue } from "#testing/job-queue.ts";
import { claimJob } from "./claim-job.store.ts";
import { releaseJob } from "./leases.store.ts";

const tenantId = "t1";

let queue: JobQueue;

beforeAll(async () => {
  queue = await createJobQueue();
});

afterAll(() => queue.database.drop());

beforeEach(() => queue.clear());

test("of ten workers one gets the job", async () => {
  const job = await queue.enqueue();
  const claimed = await Promise.all(Array.from({ length: 10 }, (_, index) => queue.claim(`w${index}`)));
  expect(claimed.filter((one) => one !== undefined).map(({ jobId }) => jobId)).toEqual([job.job_id]);
  expect(await queue.reload()).toMatchObject({ index_status: "indexing" });
});

test("a repository has one running job; the next waits for it", async () => {
  await queue.enqueue();
  await queue.claim("w1");
  await queue.enqueue();
  expect(await queue.claim("w2")).toBeUndefined();
  const other = await queue.register();
  await queue.enqueue({ repoId: other.id });
  expect(await queue.claim("w2")).toMatchObject({ repoId: other.id, cloneUrl: other.clone_url });
});

test("branches of one repository fold each for itself, and never run at the same time", needsRealPostgres, async () => {
  const main = await queue.enqueue({ mode: "incremental" });
  const branch = await queue.enqueue({ mode: "incremental", ref: "release" });
  const again = await queue.enqueue({ mode: "incremental", ref: "release", commit: "abc" });
  expect(branch.job_id).not.toBe(main.job_id);
  expect(again).toMatchObject({ job_id: branch.job_id, ref: "release", requested_commit: "abc" });
  const claimed = await Promise.all(Array.from({ length: 10 }, (_, index) => queue.claim(`w${index}`)));
  expect(claimed.filter((one) => one !== undefined)).toHaveLength(1);
});

test("a job that names the default branch is one of the default branch", async () => {
  await queue.database.query.updateTable("codeindex.repositories").set({ default_branch: "main" }).execute();
  const first = await queue.enqueue();
  const second = await queue.enqueue({ ref: "main" });
  expect(second).toMatchObject({ job_id: first.job_id, ref: null });
});

test("a claimed job knows how many pushes it will hold", async () => {
  await queue.addRef({ is_default: true, pushes_received: 7 });
  await queue.enqueue();
  expect(await queue.claim("w1")).toMatchObject({ pushesSeen: 7, ref: null, include: [], exclude: [] });
  await queue.addRef({ name: "release", pushes_received: 3 });
  const other = await queue.register();
  await queue.enqueue({ repoId: other.id, ref: "release" });
  expect(await queue.claim("w2")).toMatchObject({ pushesSeen: 0, ref: "release" });
});

test("a tenant with a thousand jobs does not keep another one's only job waiting", async () => {
  await queue.enqueueMany(1_000);
  const small = await queue.register("t2");
  await queue.claim("w1", after(1));
  const job = await queue.enqueue({ tenantId: "t2", repoId: small.id, now: after(2) });
  expect(await queue.claim("w1", after(3))).toMatchObject({ jobId: job.job_id });
  // Also when nothing else runs: who was served longest ago is next.
  await queue.database.query
    .updateTable("codeindex.index_jobs")
    .set({ status: "succeeded", completed_at: start })
    .where("status", "=", "running")
    .execute();
  const second = await queue.enqueue({ tenantId: "t2", repoId: small.id, now: after(4) });
  expect((await queue.claim("w1", after(5)))?.tenantId).toBe(tenantId);
  expect(await queue.claim("w1", after(6))).toMatchObject({ jobId: second.job_id });
});

test("a push does not wait for a thousand first builds, nor a first build for the pushes to a busy repository", async () => {
  await queue.enqueueMany(1_000);
  const modes: string[] = [];
  for (let second = 1; second <= 6; second += 1) {
    await queue.enqueue({ mode: "incremental", now: after(second) });
    const job = await queue.claim("w1", after(second));
    modes.push(job?.mode ?? "");
    await queue.succeed(job);
  }
  expect(modes.toSorted()).toEqual(["full", "full", "full", "incremental", "incremental", "incremental"]);
});

test("a lane for small jobs takes only updates of what is indexed", async () => {
  await queue.enqueue({ mode: "incremental" });
  const claimSmall = () => claimJob(queue.database, { workerId: "w1", now: start, small: true });
  expect(await claimSmall()).toBeUndefined();
  await queue.addRef({ is_default: true, generation: 1 });
  const job = await claimSmall();
  expect(job?.mode).toBe("incremental");
  await releaseJob(queue.database, { jobId: job?.jobId ?? "", workerId: "w1", now: start });
  await queue.enqueue({ mode: "full" });
  expect(await claimSmall()).toBeUndefined();
});

test("a tenant with a build running gets no second one while another tenant waits, whatever else that one has running", async () => {
  await queue.enqueueMany(5);
  expect((await queue.claim("w1", after(1)))?.tenantId).toBe(tenantId);
  const [indexed, fresh] = [await queue.register("t2"), await queue.register("t2")];
  await queue.addRef({ repo_id: indexed.id, tenant_id: "t2", is_default: true, generation: 1 });
  await queue.enqueue({ tenantId: "t2", repoId: indexed.id, mode: "incremental", now: after(2) });
  expect((await queue.claim("w2", after(2)))?.repoId).toBe(indexed.id);
  await queue.enqueue({ tenantId: "t2", repoId: fresh.id, now: after(3) });
  expect((await queue.claim("w3", after(3)))?.repoId).toBe(fresh.id);
  // Nobody else waits any more.
  expect((await queue.claim("w4", after(4)))?.tenantId).toBe(tenantId);
});

test("beside a build that runs its tenant's pushes come before its next build, which comes all the same", async () => {
  await queue.enqueueMany(2);
  await queue.addRef({ is_default: true, generation: 1 });
  await queue.enqueue({ mode: "incremental" });
  const modes: string[] = [];
  for (let second = 1; second <= 3; second += 1) {
    modes.push((await queue.claim(`w${second}`, after(second)))?.mode ?? "");
  }
  expect(modes.toSorted()).toEqual(["full", "full", "incremental"]);
  expect(modes.at(-1)).toBe("full");
});

test("an incremental job that is a branch's first build counts as a build", async () => {
  const [first, second] = [queue.repository(), await queue.register()];
  await queue.enqueue({ repoId: first.id, mode: "incremental" });
  await queue.claim("w1", after(1));
  await queue.enqueue({ repoId: second.id, mode: "incremental", now: after(2) });
  const [indexed, fresh] = [await queue.register("t2"), await queue.register("t2")];
  await queue.addRef({ repo_id: indexed.id, tenant_id: "t2", is_default: true, generation: 1 });
  await queue.enqueue({ tenantId: "t2", repoId: indexed.id, mode: "incremental", now: after(2) });
  await queue.claim("w2", after(3));
  await queue.enqueue({ tenantId: "t2", repoId: fresh.id, mode: "incremental", now: after(4) });
  expect((await queue.claim("w3", after(5)))?.repoId).toBe(fresh.id);
});

test("a repository or tenant that is being deleted is indexed no more", async () => {
  const deleting = (deleting_at: Date | null) => ({ deleting_at });
  await queue.enqueue();
  await queue.database.query.updateTable("codeindex.repositories").set(deleting(start)).execute();
  expect(await queue.claim("w1")).toBeUndefined();
  await expect(queue.enqueue()).rejects.toMatchObject({ code: "repository_not_found" });
  await queue.database.query.updateTable("codeindex.repositories").set(deleting(null)).execute();
  await queue.database.query.updateTable("codeindex.tenants").set(deleting(start)).where("tenant_id", "=", tenantId).execute();
  expect(await queue.claim("w1")).toBeUndefined();
  await queue.database.query.updateTable("codeindex.tenants").set(deleting(null)).execute();
  expect(await queue.claim("w1")).toBeDefined();
});
