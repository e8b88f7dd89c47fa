import { setTimeout as delay } from "node:timers/promises";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { JobRow } from "#store/records/jobs.store.ts";
import { createFaultFixture, type FaultFixture } from "#testing/fault-fixture.ts";
import type { IndexerProcess } from "#testing/indexer-processes.ts";

/** So many kills must hit a job that was running. `INDEXER_KILLS=50` looks for rarer moments; it takes some seconds for each. */
const KILLS = Number(process.env["INDEXER_KILLS"] ?? 4);

/** Many processes are started and killed. */
const onRealPostgres = { ...needsRealPostgres, timeout: 60_000 + KILLS * 30_000 };

let fixture: FaultFixture;

beforeEach(async () => {
  fixture = await createFaultFixture();
});

afterEach(() => fixture.stop());

/** Files whose every line says which commit they are of: half an index would hold two. */
function filesOf(commit: number): Record<string, string> {
  const line = `export const commit${commit} = "line of commit ${commit}";\n`;
  return Object.fromEntries(Array.from({ length: 20 }, (_, file) => [`src/f${file}.ts`, line.repeat(50 + file)]));
}

async function begin(indexer: IndexerProcess): Promise<IndexerProcess> {
  indexer.begin();
  await indexer.hasSaid("ready");
  return indexer;
}

/** Kills it, and has the watchdog find out. */
async function kill(indexer: IndexerProcess): Promise<void> {
  indexer.signal("SIGKILL");
  await indexer.exited;
  await fixture.passTime();
  await fixture.watch();
}

/** The killed indexer's job has failed with a reason, and another attempt waits. */
async function expectTriedAgain(jobId: string, retry: JobRow): Promise<void> {
  expect(retry).toMatchObject({ trigger: "retry", attempt: 2 });
  const orphaned = expect.stringContaining("orphaned");
  await fixture.jobWith(jobId, { status: "failed", completed_at: expect.any(Date), error_message: orphaned });
  expect(await fixture.queue.reload()).toMatchObject({ index_status: "indexing" });
}

test(
  `an indexer that is killed at any moment leaves the whole index of one commit, and its job is tried again (TEST_SEED=${SEED})`,
  onRealPostgres,
  async () => {
    const random = randomOf(SEED);
    const commits = new Map<string | null, Record<string, string>>();
    commits.set(await fixture.source.commit(filesOf(0)), filesOf(0));
    let indexer = await begin(await fixture.indexers.spawn());
    const began = performance.now();
    await fixture.jobWith(await fixture.enqueue("full"), { status: "succeeded" });
    let withinMs = performance.now() - began;
    let unfinished = 0;

    for (let round = 1; unfinished < KILLS; round += 1) {
      expect(round, "kills come when the job is over").toBeLessThanOrEqual(KILLS * 4);
      const [files, next] = [filesOf(round), fixture.indexers.spawn()];
      const commit = await fixture.source.commit(files);
      commits.set(commit, files);
      const jobId = await fixture.enqueue(round % 2 === 0 ? "full" : "incremental");
      await fixture.jobWith(jobId, { started_at: expect.any(Date) });
      // Somewhere in this kill's own part of a job's length, so that few kills, too, hit its beginning, middle and end.
      await delay(((unfinished + random()) / KILLS) * withinMs);
      await kill(indexer);

      const { commit: servedCommit, files: served } = await fixture.served();
      expect(served).toEqual(commits.get(servedCommit));
      const [job] = await fixture.jobs();
      if (job?.status === "queued") {
        unfinished += 1;
        await expectTriedAgain(jobId, job);
      } else {
        await fixture.jobWith(jobId, { status: "succeeded" });
        withinMs *= 0.7;
      }
      await fixture.passTime();
      indexer = await begin(await next);
      if (job !== undefined) {
        await fixture.jobWith(job.job_id, { status: "succeeded" });
      }
      expect(await fixture.served()).toEqual({ commit, files });
      expect(await fixture.queue.reload()).toMatchObject({ index_status: "ready", last_error: null });
    }
  },
);

test("an indexer that is killed in the middle of the switch has switched nothing", onRealPostgres, async () => {
  const before = { commit: await fixture.source.commit(filesOf(0)), files: filesOf(0) };
  const indexer = await begin(await fixture.indexers.spawn());
  await fixture.jobWith(await fixture.enqueue("full"), { status: "succeeded" });
  const after = { commit: await fixture.source.commit(filesOf(1)), files: filesOf(1) };
  const blocking = await fixture.queue.database.pool.connect();
  // What the switch writes last: everything else of its transaction is done when it waits here.
  await blocking.query("begin; select from codeindex.refs for update");
  const jobId = await fixture.enqueue("full");
  await vi.waitFor(
    async () => {
      const { rows } = await sql`
        select from pg_stat_activity where application_name = ${`indexer-${indexer.pid}`} and wait_event_type = 'Lock' and query ilike '%insert into codeindex.refs%'
      `.execute(fixture.queue.database.query);
      expect(rows).not.toEqual([]);
    },
    { timeout: 25_000, interval: 10 },
  );
  indexer.signal("SIGKILL");
  await indexer.exited;
  expect(await fixture.served()).toEqual(before);
  await blocking.query("rollback");
  blocking.release();
  await vi.waitFor(
    async () => {
      await fixture.passTime();
      await fixture.watch();
      expect(await fixture.jobs()).toMatchObject([{ status: "queued", trigger: "retry" }, { job_id: jobId, status: "failed" }, {}]);
    },
    { timeout: 10_000 },
  );
  expect(await fixture.served()).toEqual(before);
  await fixture.passTime();
  await begin(await fixture.indexers.spawn());
  await vi.waitFor(async () => expect(await fixture.served()).toEqual(after), { timeout: 25_000 });
});

test(
  "an indexer that is killed right after the switch has finished its job, and the next sweeps what it left",
  onRealPostgres,
  async () => {
    await fixture.source.commit(filesOf(0));
    const indexer = await begin(await fixture.indexers.spawn());
    await fixture.jobWith(await fixture.enqueue("full"), { status: "succeeded" });
    const after = { commit: await fixture.source.commit(filesOf(1)), files: filesOf(1) };
    await fixture.jobWith(await fixture.enqueue("full"), { status: "succeeded" });
    await kill(indexer);
    expect((await fixture.jobs()).map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
    expect(await fixture.served()).toEqual(after);
    await begin(await fixture.indexers.spawn());
    await fixture.jobWith(await fixture.enqueue("full"), { status: "succeeded" });
    expect(await fixture.served()).toEqual(after);
    await vi.waitFor(
      async () => {
        const { rows } = await sql`
        select generation from ${sql.id(fixture.queue.tenant.schema, "files")} except select generation from codeindex.refs
      `.execute(fixture.queue.database.query);
        expect(rows).toEqual([]);
      },
      { timeout: 25_000 },
    );
  },
);

test(
  "an indexer that slept longer than its lease has lost its job, and what it does when it wakes does not count",
  onRealPostgres,
  async () => {
    const before = { commit: await fixture.source.commit(filesOf(0)), files: filesOf(0) };
    const sleeper = await begin(await fixture.indexers.spawn());
    await fixture.jobWith(await fixture.enqueue("full"), { status: "succeeded" });
    await fixture.source.commit(filesOf(1));
    const blocking = await fixture.queue.database.pool.connect();
    await blocking.query(`begin; lock table "${fixture.queue.tenant.schema}".code_chunks in share row exclusive mode`);
    const jobId = await fixture.enqueue("full");
    await vi.waitFor(
      async () => {
        const { rows } = await sql`
        select from pg_stat_activity where application_name = ${`indexer-${sleeper.pid}`} and wait_event_type = 'Lock'
      `.execute(fixture.queue.database.query);
        expect(rows).not.toEqual([]);
      },
      { timeout: 25_000, interval: 10 },
    );
    sleeper.signal("SIGSTOP");
    await blocking.query("rollback");
    blocking.release();
    await fixture.passTime();
    await fixture.watch();
    await fixture.passTime();
    expect(await fixture.served()).toEqual(before);

    const newer = { commit: await fixture.source.commit(filesOf(2)), files: filesOf(2) };
    const other = await begin(await fixture.indexers.spawn());
    const [retry] = await fixture.jobs();
    await fixture.jobWith(retry?.job_id ?? "", { status: "succeeded", attempt: 2 });
    expect(await fixture.served()).toEqual(newer);
    const [jobs, refs] = [await fixture.jobs(), (await fixture.queue.reload())?.refs];

    sleeper.signal("SIGCONT");
    await sleeper.hasSaid("the job was ended by somebody else, or taken away because its indexer was silent for too long");
    other.signal("SIGKILL");
    await other.exited;
    // It is as good as new.
    await fixture.jobWith(await fixture.enqueue("full"), { status: "succeeded", worker_id: expect.stringContaining(`:${sleeper.pid}:`) });
    expect(await fixture.served()).toEqual(newer);
    expect((await fixture.jobs()).slice(1)).toEqual(jobs);
    expect(jobs.find(({ job_id: id }) => id === jobId)).toMatchObject({
      status: "failed",
      error_message: expect.stringContaining("orphaned"),
    });
    expect((await fixture.queue.reload())?.refs).toMatchObject(refs?.map(({ indexed_commit }) => ({ indexed_commit })) ?? []);
  },
);
