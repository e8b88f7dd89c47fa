import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { markRepository, markTenant } from "#store/deletions.store.ts";
import { settleIndexStatus } from "#store/index-status.store.ts";
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
    await settleIndexStatus(transaction, [repoId]);
  });
  await begun.promise;
  const changed = change(repoId);
  await vi.waitFor(async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `.execute(database.query);
    expect(rows).toHaveLength(1);
  });
  goOn.resolve();
  expect(await Promise.allSettled([ending, changed])).toMatchObject([{ status: "fulfilled" }, { status: "fulfilled" }]);
});

function changing(repoId: string) {
  return { tenantId, repoId, given: { branches: [] }, seal };
}
