import { systemClock } from "@sightline/foundation/clock";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { sql } from "kysely";
import { expect, vi } from "vitest";
import { createWatchdog } from "#indexing/watchdog.ts";
import type { JobMode } from "#schema.ts";
import { getJob, listJobs, type JobRow } from "#store/records/jobs.store.ts";
import { createGitRepository, type GitRepository } from "./git-repository.ts";
import { createIndexerProcesses, type IndexerProcesses } from "./indexer-processes.ts";
import { createJobQueue, type JobQueue } from "./job-queue.ts";

/** A repository, its queue and indexers that can be killed. */
export type FaultFixture = {
  readonly queue: JobQueue;
  readonly source: GitRepository;
  readonly indexers: IndexerProcesses;
  readonly enqueue: (mode?: JobMode) => Promise<string>;
  readonly jobWith: (jobId: string, expected: Partial<JobRow>) => Promise<JobRow>;
  /** Of `t1`, the newest first. */
  readonly jobs: () => Promise<readonly JobRow[]>;
  /** What the repository's index holds in this very moment, and the commit it says it is of. */
  readonly served: () => Promise<Served>;
  /** As if the minute was over after which a silent indexer has lost its jobs, and the pause before another attempt too. */
  readonly passTime: () => Promise<void>;
  /** The watchdog of an API, started and stopped: it looks once. */
  readonly watch: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type Served = { readonly commit: string | null; readonly files: Readonly<Record<string, string>> };

export async function createFaultFixture(): Promise<FaultFixture> {
  const queue = await createJobQueue();
  const { database, tenant } = queue;
  const source = await createGitRepository();
  await database.query.updateTable("codeindex.repositories").set({ clone_url: source.url }).execute();
  const indexers = createIndexerProcesses(database.url);
  const jobs = () => listJobs(database, { tenantId: tenant.tenantId, limit: 100 });

  return {
    queue,
    source,
    indexers,
    jobs,
    enqueue: async (mode = "incremental") => (await queue.enqueue({ mode, now: new Date() })).job_id,
    jobWith: async (jobId, expected) =>
      vi.waitFor(
        async () => {
          const job = await getJob(database, { tenantId: tenant.tenantId, jobId });
          expect(job).toMatchObject(expected);
          return job as JobRow;
        },
        { timeout: 25_000, interval: 10 },
      ),
    served: async () => {
      const { rows } = await sql<{ commit: string | null; path: string | null; content: string | null }>`
        select ref.indexed_commit as commit, file.path, chunk.content from codeindex.refs as ref
        left join ${sql.id(tenant.schema, "files")} as file on file.generation = ref.generation
        left join ${sql.id(tenant.schema, "code_chunks")} as chunk using (document_id)
        where ref.repo_id = ${queue.repository().id} and ref.is_default order by file.path, chunk.start_byte
      `.execute(database.query);
      const files: Record<string, string> = {};
      for (const { path, content } of rows) {
        files[path ?? ""] = (files[path ?? ""] ?? "") + (content ?? "");
      }
      return { commit: rows[0]?.commit ?? null, files };
    },
    passTime: async () => {
      await sql`
        update codeindex.index_jobs set heartbeat_at = heartbeat_at - interval '2 minutes' where status = 'running'
      `.execute(database.query);
      await sql`update codeindex.index_jobs set not_before = now() where status = 'queued'`.execute(database.query);
    },
    watch: async () => {
      const watchdog = createWatchdog({ database, log: silentLog, clock: systemClock });
      await watchdog.start();
      await watchdog.stop();
    },
    stop: async () => {
      await indexers.stop();
      await database.drop();
      await source.remove();
    },
  };
}
