import { randomUUID } from "node:crypto";
import { createLog } from "@sightline/foundation/log";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Job, Repository } from "#contract.ts";
import { createWatchdog } from "#indexing/watchdog.ts";
import { registerRepository } from "#store/records/repositories.store.ts";
import { startCodeIndex, type RunningCodeIndex } from "#testing/running-code-index.ts";

let subject: RunningCodeIndex;
let repoId: string;
let lines: string[];

beforeAll(async () => {
  lines = [];
  const log = createLog({ name: "test", level: "debug", destination: { write: (line) => lines.push(line) } });
  subject = await startCodeIndex({ log });
});

afterAll(() => subject.stop());

/** A repository that no job was asked for. */
beforeEach(async () => {
  const cloneUrl = "https://localhost:9/o/r.git";
  ({ id: repoId } = await registerRepository(subject.database, { tenantId: "one", fullName: `o/${randomUUID()}`, cloneUrl }));
});

const read = async <Answer>(url: string) => (await subject.server.inject({ url, headers: subject.asAdmin() })).json<Answer>();
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

/** A row as another process left it. */
async function leaveRunning(changes: { readonly startedAt: Date; readonly heartbeatAt?: Date | null }): Promise<string> {
  const { startedAt, heartbeatAt = null } = changes;
  const jobId = randomUUID();
  await sql`
    insert into codeindex.index_jobs (job_id, repo_id, tenant_id, status, mode, trigger, attempt, started_at, heartbeat_at, progress_at)
    values (${jobId}, ${repoId}, 'one', 'running', 'full', 'api', 3, ${startedAt}, ${heartbeatAt}, ${startedAt})
  `.execute(subject.database.query);
  return jobId;
}

async function rowOf(jobId: string) {
  return subject.database.query.selectFrom("codeindex.index_jobs").selectAll().where("job_id", "=", jobId).executeTakeFirstOrThrow();
}

async function watch(): Promise<void> {
  const watchdog = createWatchdog({
    database: subject.database,
    log: createLog({ name: "t", level: "silent" }),
    clock: { now: () => new Date() },
  });
  await watchdog.start();
  await watchdog.stop();
}

async function columnsOf(schema: string, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ column_name: string }>`
    select column_name from information_schema.columns where table_schema = ${schema} and table_name = ${table}
  `.execute(subject.database.query);
  return rows.map((row) => row.column_name);
}

describe("What the service does (docs/contract.md#code-index-what-the-service-does)", () => {
  test("Startup sequence: (1) initialise the database connection pool; (2) mark every orphaned job … (3) start a background watchdog; (4) start the MCP session manager", () => {
    const steps = lines.map((line) => JSON.parse(line) as { step?: string }).flatMap(({ step }) => step ?? []);
    expect(steps).toEqual(["database connection pool", "orphaned jobs", "watchdog", "MCP session manager"]);
  });

  test("Multi-tenant: every tenant has a database schema named tenant_<name> that holds a code_chunks table", async () => {
    for (const name of ["one", "two"]) {
      expect(await columnsOf(`tenant_${name}`, "code_chunks")).toContain("content");
    }
  });

  test("The service schema holds index_jobs and developer_tokens", async () => {
    expect(await columnsOf("codeindex", "index_jobs")).not.toEqual([]);
    expect(await columnsOf("codeindex", "developer_tokens")).not.toEqual([]);
  });

  test("The database is PostgreSQL with a vector extension", async () => {
    const { rows } = await sql`select from pg_extension where extname = 'vector'`.execute(subject.database.query);
    expect(rows).toHaveLength(1);
  });

  test("Repositories are registered through the console API. … A manual full re-index can be requested", async () => {
    const { id } = await subject.index("acme/manual", { "a.ts": "export const one = 1;\n" });
    const headers = subject.asAdmin();
    const answer = await subject.server.inject({ method: "POST", url: `/api/v1/repos/${id}/index`, headers, payload: { mode: "full" } });
    const { job } = answer.json<{ job: Job }>();
    await vi.waitFor(
      async () => expect(await read<Job>(`/api/v1/jobs/${job.job_id}`)).toMatchObject({ status: "succeeded", mode: "full" }),
      {
        timeout: 25_000,
      },
    );
  });
});

describe("Resources and their fields (docs/contract.md#code-index-resources-and-their-fields)", () => {
  test("index_jobs | job_id | … repo_id | … status | … started_at | … completed_at | … error_message", async () => {
    const fields = ["job_id", "repo_id", "status", "started_at", "completed_at", "error_message"];
    expect(await columnsOf("codeindex", "index_jobs")).toEqual(expect.arrayContaining(fields));
    const jobId = await leaveRunning({ startedAt: new Date(), heartbeatAt: new Date() });
    expect(Object.keys(await read<Job>(`/api/v1/jobs/${jobId}`))).toEqual(expect.arrayContaining(fields));
  });

  test("Status values of index_jobs beyond running and failed: not shown — decided: queued, succeeded and cancelled beside them", async () => {
    const jobId = await leaveRunning({ startedAt: new Date(), heartbeatAt: new Date() });
    for (const status of ["queued", "running", "succeeded", "failed", "cancelled"]) {
      await sql`update codeindex.index_jobs set status = ${status}, not_before = 'infinity' where job_id = ${jobId}`.execute(
        subject.database.query,
      );
    }
    await expect(
      sql`update codeindex.index_jobs set status = 'lost' where job_id = ${jobId}`.execute(subject.database.query),
    ).rejects.toThrow(/check/);
  });

  test("developer_tokens | token_prefix | … label | … revoked_at", async () => {
    expect(await columnsOf("codeindex", "developer_tokens")).toEqual(expect.arrayContaining(["token_prefix", "label", "revoked_at"]));
  });

  test("repository | full_name | string of the form owner/repo — also group/sub/project, as hosts with subgroups have it: the owner is the first group, and addresses have sub%2Fproject as the repo", async () => {
    const register = (full_name: string) =>
      subject.server.inject({ method: "POST", url: "/api/v1/repos", headers: subject.asAdmin(), payload: { full_name, index: false } });
    expect((await register("no-owner")).statusCode).toBe(400);
    expect((await register("owner/repo")).json()).toMatchObject({ full_name: "owner/repo" });
    expect((await register("group/sub/project")).json()).toMatchObject({ full_name: "group/sub/project" });
  });

  test("A repository index status named indexing exists (it is shown in the Console while a job runs)", async () => {
    await sql`
      insert into codeindex.index_jobs (job_id, repo_id, tenant_id, mode, trigger) values (${randomUUID()}, ${repoId}, 'one', 'full', 'api')
    `.execute(subject.database.query);
    const seen = new Set<string>();
    await vi.waitFor(
      async () => {
        seen.add((await read<Repository>(`/api/v1/repos/${repoId}`)).index_status);
        expect(seen).toContain("indexing");
      },
      { timeout: 20_000, interval: 2 },
    );
    await sql`update codeindex.index_jobs set cancel_requested = true where repo_id = ${repoId}`.execute(subject.database.query);
  });
});

describe("States and transitions (docs/contract.md#code-index-states-and-transitions)", () => {
  test("running | background watchdog, … | started_at older than 30 minutes | failed | completed_at and error_message are set", async () => {
    const jobId = await leaveRunning({ startedAt: minutesAgo(31), heartbeatAt: new Date() });
    await watch();
    expect(await rowOf(jobId)).toMatchObject({
      status: "failed",
      completed_at: expect.any(Date),
      error_message: expect.stringContaining("30 minutes"),
    });
  });

  test("… started_at older than 30 minutes … — decided: one that lives and gets on is no stuck job, however long it takes", async () => {
    const jobId = await leaveRunning({ startedAt: minutesAgo(300), heartbeatAt: new Date() });
    await sql`update codeindex.index_jobs set progress_at = now() where job_id = ${jobId}`.execute(subject.database.query);
    await watch();
    expect(await rowOf(jobId)).toMatchObject({ status: "running", completed_at: null, error_message: null });
  });

  test("running | the service startup | job is orphaned | failed", async () => {
    const jobId = await leaveRunning({ startedAt: minutesAgo(5), heartbeatAt: minutesAgo(2) });
    // The same two steps that the start-up takes before the MCP session manager.
    await watch();
    expect(await rowOf(jobId)).toMatchObject({
      status: "failed",
      completed_at: expect.any(Date),
      error_message: expect.stringContaining("orphaned"),
    });
    expect(await read<Repository>(`/api/v1/repos/${repoId}`)).toMatchObject({
      index_status: "failed",
      last_error: expect.stringContaining("orphaned"),
    });
  });

  test("running | manual operator update | started_at older than 30 minutes | failed | error_message set by the operator", async () => {
    const jobId = await leaveRunning({ startedAt: minutesAgo(31), heartbeatAt: new Date() });
    await sql`update codeindex.index_jobs set status = 'failed', error_message = 'stopped by Ada' where job_id = ${jobId}`.execute(
      subject.database.query,
    );
    await watch();
    expect(await rowOf(jobId)).toMatchObject({ status: "failed", completed_at: expect.any(Date), error_message: "stopped by Ada" });
    expect(await read<Repository>(`/api/v1/repos/${repoId}`)).toMatchObject({ index_status: "failed", last_error: "stopped by Ada" });
  });

  test("Other job transitions (start, success): not shown — decided: queued, running with started_at, succeeded with completed_at", async () => {
    const { id } = await subject.index("acme/transitions", { "a.ts": "export const one = 1;\n" });
    const { items } = await read<{ items: readonly Job[] }>(`/api/v1/jobs?repo_id=${id}`);
    expect(items).toMatchObject([
      { status: "succeeded", started_at: expect.any(String), completed_at: expect.any(String), error_message: null },
    ]);
  });

  test("Transitions of the repository index status: not shown — decided: pending, indexing, ready or failed", async () => {
    expect(await read<Repository>(`/api/v1/repos/${repoId}`)).toMatchObject({ index_status: "pending", indexed_commit: null });
    const { id } = await subject.index("acme/status", { "a.ts": "export const one = 1;\n" });
    expect(await read<Repository>(`/api/v1/repos/${id}`)).toMatchObject({ index_status: "ready", indexed_commit: expect.any(String) });
  });
});
