import { systemClock } from "@sightline/foundation/clock";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createWatchdog } from "#indexing/watchdog.ts";
import { enqueueJob } from "#store/records/jobs.store.ts";
import { createFaultFixture, type FaultFixture } from "#testing/fault-fixture.ts";
import type { IndexerProcess } from "#testing/indexer-processes.ts";

const REPOSITORIES = 30;

let fixture: FaultFixture;

beforeEach(async () => {
  fixture = await createFaultFixture();
});

afterEach(() => fixture.stop());

/** The jobs that indexers said they began, or ended well. */
function said(indexers: readonly IndexerProcess[], message: "indexing" | "indexed"): readonly string[] {
  const jobs = indexers.flatMap(({ lines }) => lines.filter((line) => line["msg"] === message).map((line) => String(line["job"])));
  return jobs.toSorted();
}

test(
  "of a queue of thirty repositories three indexers run each job once, and two watchdogs kill none that lives",
  { ...needsRealPostgres, timeout: 300_000 },
  async () => {
    const { database } = fixture.queue;
    const commit = await fixture.source.commit(
      Object.fromEntries(Array.from({ length: 10 }, (_, file) => [`f${file}.ts`, "a();\n".repeat(50)])),
    );
    const indexers = await Promise.all(Array.from({ length: 3 }, () => fixture.indexers.spawn()));
    const others = await Promise.all(
      Array.from({ length: REPOSITORIES - 1 }, (_, one) => fixture.queue.register(one % 2 === 0 ? "t1" : "t2")),
    );
    const repositories = [fixture.queue.repository(), ...others];
    await database.query.updateTable("codeindex.repositories").set({ clone_url: fixture.source.url }).execute();
    indexers.forEach((indexer) => indexer.begin());

    // Requests come in twice, by two replicas at once, while indexers take them already.
    const requests = await Promise.all(
      [...repositories, ...repositories].map(({ tenant_id: tenantId, id: repoId }) =>
        enqueueJob(database, { tenantId, repoId, mode: "full", trigger: "api", now: new Date() }),
      ),
    );
    const asked = [...new Set(requests.map((job) => job.job_id))];
    const done = new AbortController();
    const watching = Array.from({ length: 2 }, async () => {
      while (!done.signal.aborted) {
        const watchdog = createWatchdog({ database, log: silentLog, clock: systemClock });
        await watchdog.start();
        await watchdog.stop();
      }
    });
    await vi.waitFor(
      async () => {
        const { rows } = await sql`select from codeindex.index_jobs where status in ('queued', 'running')`.execute(database.query);
        expect(rows).toEqual([]);
      },
      { timeout: 250_000, interval: 100 },
    );
    done.abort();
    await Promise.all(watching);

    const { rows } = await sql<{ job_id: string; status: string; attempt: number; worker_id: string }>`
      select job_id, status, attempt, worker_id from codeindex.index_jobs
    `.execute(database.query);
    expect(rows.map((row) => row.job_id).toSorted()).toEqual(asked.toSorted());
    expect(new Set(rows.map(({ status, attempt }) => `${status} ${attempt}`))).toEqual(new Set(["succeeded 1"]));
    expect(new Set(rows.map((row) => row.worker_id)).size).toBe(3);
    await vi.waitFor(() => expect(said(indexers, "indexed")).toEqual(asked.toSorted()));
    expect(said(indexers, "indexing")).toEqual(asked.toSorted());
    const refs = await database.query.selectFrom("codeindex.refs").select(["repo_id", "indexed_commit", "files"]).execute();
    expect(refs).toHaveLength(REPOSITORIES);
    expect(new Set(refs.map((ref) => `${ref.indexed_commit} ${ref.files}`))).toEqual(new Set([`${commit} 10`]));
  },
);
