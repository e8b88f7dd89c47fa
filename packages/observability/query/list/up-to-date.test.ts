import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { countTraces } from "#store/trace-entries.store.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { writeEvents } from "#testing/write-events.ts";
import { bringUpToDate } from "./up-to-date.ts";

let database: TestDatabase<ObservabilitySchema>;
beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
afterAll(() => database.drop());

test("who counts and has gone silent holds no reader up", needsRealPostgres, async () => {
  const projectId = uuidv7();
  const traceId = uuidv7();
  await writeEvents(database, agentRun(createProducer(projectId), traceId));
  const silent = await database.pool.connect();
  try {
    await silent.query("begin");
    await silent.query("select pg_advisory_xact_lock(741734093, hashtext($1))", [projectId]);
    expect(await bringUpToDate(database.query, projectId)).toEqual({ isCounted: false, isCostPending: false });
    await countTraces(database.query, projectId, [traceId]);
  } finally {
    await silent.query("rollback");
    silent.release();
  }
  expect(await bringUpToDate(database.query, projectId)).toEqual({ isCounted: true, isCostPending: false });
});
