import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "@sightline/foundation/clock";
import type { Hints } from "@sightline/foundation/database/hints";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { markRepository, removeRefs } from "#store/records/deletions.store.ts";
import { enqueueJob, getJob, type JobRow } from "#store/records/jobs.store.ts";
import { askForPreview } from "#store/records/previews.store.ts";
import type { RepositoryRow } from "#store/records/read-repositories.store.ts";
import { registerRepository } from "#store/records/repositories.store.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant } from "#store/tenancy/tenant.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { testConfig } from "#testing/test-config.ts";
import { createIndexer } from "./indexer.ts";

const tenantId = "t1";
const HINTS = ["jobs", "previews", "vectors", "histories", "tenants", "deletions"];

let database: TestDatabase<CodeIndexTables>;
let source: GitRepository;
let repository: RepositoryRow;
let endings: (() => Promise<unknown>)[];

beforeEach(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  await ensureTenant(database, { tenantId, name: "default" });
  source = await createGitRepository();
  repository = await registerRepository(database, { tenantId, fullName: "o/r", cloneUrl: source.url });
  endings = [];
});

afterEach(async () => {
  for (const end of endings.toReversed()) {
    await end();
  }
  await source.remove();
  await database.drop();
});

const now = () => systemClock.now();
const enqueue = () => enqueueJob(database, { tenantId, repoId: repository.id, mode: "full", trigger: "api", now: now() });

async function started({ job_id: jobId }: JobRow): Promise<JobRow & { readonly started_at: Date }> {
  return vi.waitFor(
    async () => {
      const job = await getJob(database, { tenantId, jobId });
      expect(job?.started_at).toBeInstanceOf(Date);
      return job as JobRow & { readonly started_at: Date };
    },
    { timeout: 30_000, interval: 50 },
  );
}

/** An indexer that has found nothing for so long that its next look is some seconds away. */
async function startResting(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "sightline-data-"));
  const indexer = createIndexer({ config: testConfig(dataDir), database, log: silentLog, clock: systemClock });
  await indexer.start();
  endings.push(async () => {
    await indexer.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  await delay(6_000);
}

test("whatever asks indexers for something tells them", async () => {
  const hints: Hints = database.listen("codeindex_work");
  endings.push(hints.stop);
  let told: string[] = [];
  HINTS.forEach((hint) => hints.wakenBy(hint)(() => told.push(hint)));
  hints.start();
  await vi.waitFor(() => expect(hints.areHeard()).toBe(true), { timeout: 10_000 });
  const expectHint = async (hint: string, work: () => Promise<unknown>): Promise<void> => {
    told = [];
    await work();
    await vi.waitFor(() => expect(told).toEqual([hint]), { timeout: 10_000 });
  };
  const refs = (set: string) => sql`update codeindex.refs set ${sql.raw(set)} where repo_id = ${repository.id}`.execute(database.query);
  await expectHint("jobs", enqueue);
  await expectHint("previews", () => askForPreview(database, { tenantId, repoId: repository.id, now: now() }));
  await expectHint("tenants", () => ensureTenant(database, { tenantId: "t2", name: "second" }));
  await sql`
    insert into codeindex.refs (ref_id, repo_id, tenant_id, name, is_default) values (gen_random_uuid(), ${repository.id}, ${tenantId}, 'main', true)
  `.execute(database.query);
  await expectHint("vectors", () => refs("vectors_pending = 3"));
  await expectHint("histories", () => refs("generation = 1, indexed_commit = 'abc'"));
  await expectHint("deletions", () =>
    database.query
      .transaction()
      .execute((transaction) => removeRefs(transaction, { tenantId, repoId: repository.id, names: ["side"], now: now() })),
  );
  await expectHint("deletions", () => markRepository(database, { tenantId, repoId: repository.id, now: now() }));
});

test("a resting indexer takes a job as soon as it is asked for", { timeout: 60_000 }, async () => {
  await startResting();
  const job = await started(await enqueue());
  expect(job.started_at.getTime() - job.created_at.getTime()).toBeLessThan(2_000);
});

test("a resting indexer takes a job that is due later when it is due", { timeout: 60_000 }, async () => {
  await startResting();
  const dueAt = Date.now() + 4_000;
  const due = { tenantId, repoId: repository.id, mode: "full", trigger: "api", now: new Date(dueAt) } as const;
  const job = await started(await enqueueJob(database, due));
  expect(job.started_at.getTime() - dueAt).toBeGreaterThanOrEqual(0);
  expect(job.started_at.getTime() - dueAt).toBeLessThan(2_500);
});

test("a job of which nobody told is found all the same", { timeout: 60_000 }, async () => {
  await sql`drop trigger tell_of_job on codeindex.index_jobs`.execute(database.query);
  await startResting();
  const job = await started(await enqueue());
  expect(job.started_at.getTime() - job.created_at.getTime()).toBeLessThan(20_000);
});
