import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { after, createJobQueue, start, type JobQueue } from "#testing/job-queue.ts";
import { fixEndedByHand } from "./failed-jobs.store.ts";
import { settleIndexStatus } from "./index-status.store.ts";
import { getJob } from "./jobs.store.ts";
import { cancelJob, checkLease, failJob } from "./leases.store.ts";

const tenantId = "t1";

let queue: JobQueue;

beforeAll(async () => {
  queue = await createJobQueue();
});

afterAll(() => queue.database.drop());

beforeEach(() => queue.clear());

test("the state of a repository is that of its latest jobs, branch by branch, and an index that is there stays served", async () => {
  await queue.database.query
    .updateTable("codeindex.repositories")
    .set({ branches: ["release"] })
    .execute();
  const failed = await queue.enqueue({ ref: "release" });
  await queue.claim("w1");
  await failJob(queue.database, { jobId: failed.job_id, workerId: "w1", now: start, reason: "no such branch", retry: false });
  await queue.addRef({ is_default: true, generation: 3, indexed_commit: "abc" });
  const good = await queue.enqueue();
  await queue.claim("w1", after(1));
  await cancelJob(queue.database, { jobId: good.job_id, workerId: "w1", now: after(2) });
  expect(await queue.reload()).toMatchObject({ index_status: "failed", last_error: "release: no such branch" });
  // A branch that is no longer wanted says nothing any more.
  await queue.database.query.updateTable("codeindex.repositories").set({ branches: [] }).execute();
  await queue.database.query.transaction().execute((transaction) => settleIndexStatus(transaction, [{ repo_id: queue.repository().id }]));
  expect(await queue.reload()).toMatchObject({ index_status: "ready", last_error: null });
});

test("what a branch failed by before it became the default one is said no more once the default one is indexed", async () => {
  await queue.database.query
    .updateTable("codeindex.repositories")
    .set({ branches: ["trunk"] })
    .execute();
  const failed = await queue.enqueue({ ref: "trunk" });
  await queue.claim("w1");
  await failJob(queue.database, { jobId: failed.job_id, workerId: "w1", now: start, reason: "no such branch", retry: false });
  await queue.database.query.updateTable("codeindex.repositories").set({ default_branch: "trunk" }).execute();
  await queue.addRef({ name: "trunk", is_default: true, generation: 3, indexed_commit: "abc" });
  await queue.enqueue({ ref: "trunk" });
  await queue.succeed(await queue.claim("w2", after(1)));
  await queue.database.query.transaction().execute((transaction) => settleIndexStatus(transaction, [{ repo_id: queue.repository().id }]));
  expect(await queue.reload()).toMatchObject({ index_status: "ready", last_error: null });
});

test("while a provider refuses what waits for its vectors, the state stays indexing", async () => {
  await queue.addRef({ is_default: true, generation: 3, vectors_pending: 5, vectors_error: "quota exceeded" });
  const settle = () =>
    queue.database.query.transaction().execute((transaction) => settleIndexStatus(transaction, [{ repo_id: queue.repository().id }]));
  await settle();
  expect(await queue.reload()).toMatchObject({ index_status: "indexing" });
  await queue.database.query.updateTable("codeindex.refs").set({ vectors_pending: 0, vectors_error: null }).execute();
  await settle();
  expect(await queue.reload()).toMatchObject({ index_status: "ready" });
});

test("an operator who sets a running job to failed ends it for good", async () => {
  const { job_id: jobId } = await queue.enqueue();
  await queue.claim("w1");
  await sql`update codeindex.index_jobs set status = 'failed', error_message = 'by hand' where job_id = ${jobId}`.execute(
    queue.database.query,
  );
  expect(await checkLease(queue.database, { jobId, workerId: "w1" })).toBe("lost");
  await failJob(queue.database, { jobId, workerId: "w1", now: after(1), reason: "x", retry: true });
  expect(await fixEndedByHand(queue.database, { now: after(2), each: eachOwnerUnderTest() })).toBe(1);
  expect(await getJob(queue.database, { tenantId, jobId })).toMatchObject({
    status: "failed",
    error_message: "by hand",
    completed_at: after(2),
  });
  expect(await queue.reload()).toMatchObject({ index_status: "failed", last_error: "by hand" });
  expect(await queue.statuses()).toEqual(["failed"]);
});
