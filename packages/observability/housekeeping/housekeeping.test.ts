import { setTimeout as delay } from "node:timers/promises";
import { createAlarm } from "@sightline/foundation/repeat";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { countOf } from "#testing/consumer-rig.ts";
import { failingRun } from "#testing/failing-run.ts";
import { writeEvents } from "#testing/write-events.ts";
import { createHousekeeping } from "./housekeeping.ts";

let database: TestDatabase<ObservabilitySchema>;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
afterAll(() => database.drop());

test(
  "what is written while it rests is counted as soon as it is woken, and what failed is an issue then",
  { timeout: 60_000 },
  async () => {
    const written = createAlarm();
    const housekeeping = createHousekeeping({ query: database.query, log: silentLog, wakenBy: written.wakenBy });
    housekeeping.start();
    try {
      // After pauses of 1, 2 and 4 s it rests for 8, and for hours after 3 and 6 for 12.
      await delay(10_000);
      const projectId = uuidv7();
      await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
      const producer = createProducer(projectId);
      await writeEvents(database, [...agentRun(producer), ...failingRun(producer, { at: new Date(), error: "ValueError: no" })]);
      expect(await marks()).not.toEqual([0, 0]);
      const writtenAt = performance.now();
      written.ring();
      await vi.waitFor(async () => expect(await marks()).toEqual([0, 0]), { timeout: 10_000, interval: 20 });
      expect(performance.now() - writtenAt).toBeLessThan(3_000);
      await vi.waitFor(async () => expect(await countOf(database, "issues")).toBe(1), { timeout: 10_000, interval: 20 });
      expect(performance.now() - writtenAt).toBeLessThan(6_000);
    } finally {
      await housekeeping.stop();
    }
  },
);

async function marks(): Promise<readonly number[]> {
  const count = async (table: "trace_marks" | "hourly_marks") =>
    (await database.pool.query<{ count: number }>(`select count(*) from observability.${table}`)).rows[0]?.count ?? -1;
  return [await count("trace_marks"), await count("hourly_marks")];
}
