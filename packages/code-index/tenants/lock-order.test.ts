import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { markRepository, markTenant } from "#store/records/deletions.store.ts";
import { refreshWaiting } from "#indexing/embedding/embedding-progress.store.ts";
import { settleIndexStatus } from "#store/records/index-status.store.ts";
import { ensureEmbedder } from "#store/index/vectors.store.ts";
import { createJobQueue, start, type JobQueue } from "#testing/job-queue.ts";
import { changeRepository } from "./repository-settings.ts";

let queue: JobQueue;

beforeAll(async () => {
  queue = await createJobQueue();
});

afterAll(() => queue.database.drop());

beforeEach(() => queue.clear());

const tenantId = "t1";
const seal = () => "";

test("what is counted of waiting vectors while a worker switches waits, and neither fails", needsRealPostgres, async () => {
  const { database, tenant } = queue;
  const { id: repoId } = queue.repository();
  await ensureEmbedder(database, tenant, { key: "k", provider: "p", model: "m", dimensions: 3 });
  await queue.addRef({ is_default: true, generation: 3, indexed_commit: "abc", vectors_pending: 5 });
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const switching = database.query.transaction().execute(async (transaction) => {
    await transaction.updateTable("codeindex.repositories").set({ default_branch: "main" }).where("id", "=", repoId).execute();
    begun.resolve();
    await goOn.promise;
    await transaction.updateTable("codeindex.refs").set({ files: 7 }).where("repo_id", "=", repoId).execute();
  });
  await begun.promise;
  const counted = refreshWaiting(database, tenant);
  await oneWaits();
  goOn.resolve();
  expect(await Promise.allSettled([switching, counted])).toMatchObject([{ status: "fulfilled" }, { status: "fulfilled" }]);
});

test.for([
  ["changed", (repoId: string) => changeRepository({ database: queue.database, allowFileUrls: true, now: start }, changing(repoId))],
  ["deleted", (repoId: string) => markRepository(queue.database, { tenantId, repoId, now: start })],
  ["deleted with its tenant", () => markTenant(queue.database, { name: "one", now: start })],
] as const)("a repository that is %s while a worker ends its job waits, and neither fails", needsRealPostgres, async ([, change]) => {
  const { database } = queue;
  const { id: repoId } = queue.repository();
  await database.query
    .updateTable("codeindex.repositories")
    .set({ branches: ["release"] })
    .execute();
  const { job_id: jobId } = await queue.enqueue({ ref: "release" });
  await queue.claim("w1");
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const ending = database.query.transaction().execute(async (transaction) => {
    await sql`update codeindex.index_jobs set status = 'succeeded', completed_at = ${start} where job_id = ${jobId}`.execute(transaction);
    begun.resolve();
    await goOn.promise;
    await settleIndexStatus(transaction, [{ repo_id: repoId }]);
  });
  await begun.promise;
  const changed = change(repoId);
  await oneWaits();
  goOn.resolve();
  expect(await Promise.allSettled([ending, changed])).toMatchObject([{ status: "fulfilled" }, { status: "fulfilled" }]);
});

async function oneWaits(): Promise<void> {
  await vi.waitFor(async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `.execute(queue.database.query);
    expect(rows).toHaveLength(1);
  });
}

function changing(repoId: string) {
  return { tenantId, repoId, given: { branches: [] }, seal };
}
