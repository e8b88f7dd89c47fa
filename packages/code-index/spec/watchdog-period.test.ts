import { randomUUID } from "node:crypto";
import { createLog } from "@sightline/foundation/log";
import { createTestDatabase } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { describe, expect, test, vi } from "vitest";
import { codeIndexMigrations, ensureCodeIndexTenant } from "#index.ts";
import { createWatchdog } from "#indexing/watchdog.ts";
import type { CodeIndexTables } from "#schema.ts";
import { registerRepository } from "#store/records/repositories.store.ts";

// Here nothing else runs: the clock that is moved would take along the pauses and time-outs of an indexer.
describe("States and transitions (docs/contract.md#code-index-states-and-transitions)", () => {
  test("background watchdog, runs every 60 seconds", async () => {
    const database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
    await ensureCodeIndexTenant(database, { tenantId: "one", name: "one" });
    const { id } = await registerRepository(database, { tenantId: "one", fullName: "o/watched", cloneUrl: "https://localhost:9/o/r.git" });
    const clock = { now: () => new Date() };
    const jobs = database.query.selectFrom("codeindex.index_jobs").select("status");
    const watchdog = createWatchdog({ database, log: createLog({ name: "t", level: "silent" }), clock });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      await watchdog.start();
      await sql`
        insert into codeindex.index_jobs (job_id, repo_id, tenant_id, status, mode, trigger, attempt, started_at, heartbeat_at, progress_at)
        values (${randomUUID()}, ${id}, 'one', 'running', 'full', 'api', 3, now() - interval '31 minutes', now(), now() - interval '31 minutes')
      `.execute(database.query);
      vi.advanceTimersByTime(59_000);
      expect(await jobs.executeTakeFirst()).toEqual({ status: "running" });
      await vi.advanceTimersByTimeAsync(1_000);
      vi.useRealTimers();
      await vi.waitFor(async () => expect(await jobs.executeTakeFirst()).toEqual({ status: "failed" }), { timeout: 10_000 });
    } finally {
      vi.useRealTimers();
      await watchdog.stop();
      await database.drop();
    }
  });
});
