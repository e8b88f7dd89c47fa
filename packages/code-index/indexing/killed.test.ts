import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { failOrphans } from "#store/records/failed-jobs.store.ts";
import { enqueueJob } from "#store/records/jobs.store.ts";
import type { Tenant } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { NO_LEFTOVERS, readLeftovers, readLogicalIndex } from "#testing/logical-index.ts";

/** So many kills must hit a job that was running. */
const KILLS = 4;
const PROCESS = fileURLToPath(new URL("../testing/indexer-process.ts", import.meta.url));

let fixture: BuildFixture;
let tenant: Tenant;
let source: GitRepository;
let repoId: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  fixture = await startBuildFixture();
  tenant = await fixture.tenant("one");
  source = await createGitRepository();
  repoId = await fixture.register(tenant, "o/r", source.url);
});

afterEach(async () => {
  await kill();
  await fixture.stop();
  await source.remove();
});

function startProcess(): void {
  child = spawn(process.execPath, [PROCESS, fixture.database.url, fixture.tools.dataDir], { stdio: ["ignore", "ignore", "inherit"] });
}

async function kill(): Promise<void> {
  const killed = child;
  child = undefined;
  if (killed?.exitCode === null && killed.signalCode === null) {
    const ended = once(killed, "exit");
    killed.kill("SIGKILL");
    await ended;
  }
}

const text = (file: number, round: number) =>
  Array.from({ length: 60 }, (_, line) => `export function f${file}x${line}() {\n  return ${line * round};\n}\n`).join("");

async function commit(round: number): Promise<string> {
  return source.commit(Object.fromEntries(Array.from({ length: 20 }, (_, file) => [`src/f${file}.ts`, text(file, round + (file % 3))])));
}

async function enqueue(mode: "full" | "incremental"): Promise<string> {
  const job = await enqueueJob(fixture.database, { tenantId: tenant.tenantId, repoId, mode, trigger: "api", now: new Date() });
  return job.job_id;
}

async function statusOf(jobId: string): Promise<string | undefined> {
  const job = await fixture.database.query
    .selectFrom("codeindex.index_jobs")
    .select("status")
    .where("job_id", "=", jobId)
    .executeTakeFirst();
  return job?.status;
}

async function running(): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rows } = await sql`select from codeindex.index_jobs where status = 'running'`.execute(fixture.database.query);
      expect(rows).toHaveLength(1);
    },
    { timeout: 30_000, interval: 5 },
  );
}

/** Waits until the running job has written documents that no branch shows yet. */
async function writing(): Promise<void> {
  await running();
  await vi.waitFor(async () => expect((await readLeftovers(fixture.database, tenant))["documents"]).toBeGreaterThan(0), {
    timeout: 30_000,
    interval: 5,
  });
}

/** Waits until a statement of the process waits for a lock. */
async function blocked(): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and application_name = 'indexer-process' and wait_event_type = 'Lock'
      `.execute(fixture.database.query);
      expect(rows.length).toBeGreaterThan(0);
    },
    { timeout: 30_000, interval: 20 },
  );
}

/** Waits for what the database still does for a process that is gone, a commit perhaps. */
async function disconnected(): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and application_name = 'indexer-process'
      `.execute(fixture.database.query);
      expect(rows).toHaveLength(0);
    },
    { timeout: 30_000, interval: 20 },
  );
}

async function indexedCommit(): Promise<string | null | undefined> {
  const ref = await fixture.database.query.selectFrom("codeindex.refs").select("indexed_commit").executeTakeFirst();
  return ref?.indexed_commit;
}

/** What the watchdog and the next indexer do. */
async function recover(): Promise<void> {
  const { database } = fixture;
  await failOrphans(database, { now: new Date(Date.now() + 120_000), each: eachOwnerUnderTest() });
  await database.query
    .updateTable("codeindex.index_jobs")
    .set({ not_before: new Date(0) })
    .where("status", "=", "queued")
    .execute();
  await fixture.run({ tenant, repoId });
}

const index = () => readLogicalIndex(fixture.database, { tenant, repoId });

async function expectWhole(): Promise<void> {
  const files = (await index()).files.length;
  expect(files).toBe(20);
  expect(await readLeftovers(fixture.database, tenant)).toEqual({ builds: 1, ...NO_LEFTOVERS });
}

test(
  `an indexer killed at any moment leaves the good index or the new one, and nothing after the next job (TEST_SEED=${SEED})`,
  { timeout: 600_000, ...needsRealPostgres },
  async () => {
    const random = randomOf(SEED);
    await commit(0);
    await fixture.run({ tenant, repoId });
    let unfinished = 0;
    // From the claim of the job to the sweep after the switch; less where a job is over sooner.
    let withinMs = 1_400;
    for (let round = 1; unfinished < KILLS; round++) {
      expect(round, "kills come when the job is over").toBeLessThanOrEqual(KILLS * 4);
      const [before, good] = [await indexedCommit(), await index()];
      const newest = await commit(round);
      const jobId = await enqueue(round % 2 === 0 ? "full" : "incremental");
      startProcess();
      await (unfinished % 2 === 0 ? running() : writing());
      await delay(random() * withinMs);
      await kill();
      await disconnected();
      const after = await indexedCommit();
      expect([before, newest]).toContain(after);
      // The switch ends the job as well.
      const isHit = after === before;
      expect(await statusOf(jobId)).toBe(isHit ? "running" : "succeeded");
      unfinished += isHit ? 1 : 0;
      withinMs *= isHit ? 1 : 0.6;
      // The good index, or all of the new one: reading it fails where it is a half.
      const served = await index();
      expect(isHit ? served : good).toEqual(good);
      await recover();
      expect(await indexedCommit()).toBe(newest);
      await expectWhole();
    }
  },
);

test.each(["full", "incremental"] as const)(
  "an indexer killed in the middle of the switch of a %s build has switched nothing",
  { timeout: 120_000, ...needsRealPostgres },
  async (mode) => {
    await commit(0);
    await fixture.run({ tenant, repoId });
    const [before, good] = [await indexedCommit(), await index()];
    const newest = await commit(1);
    await enqueue(mode);
    const locked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    startProcess();
    await running();
    // The switch ends with the branch's row: everything else is written by then.
    const holding = fixture.database.query.transaction().execute(async (transaction) => {
      await sql`select from codeindex.refs for update`.execute(transaction);
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    await blocked();
    await kill();
    released.resolve();
    await holding;
    await disconnected();
    expect(await indexedCommit()).toBe(before);
    expect(await index()).toEqual(good);
    await recover();
    expect(await indexedCommit()).toBe(newest);
    await expectWhole();
  },
);
