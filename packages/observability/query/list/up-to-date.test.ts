import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { countTraces, lockCounting } from "#counting/count-traces.store.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { writeEvents } from "#testing/write-events.ts";
import { refreshEntries } from "./refresh-entries.ts";

let database: TestDatabase<ObservabilitySchema>;
beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
afterAll(() => database.drop());

test("who counts and has gone silent holds no reader up", needsRealPostgres, async () => {
  const projectId = uuidv7();
  const traceId = uuidv7();
  await writeEvents(database, agentRun(createProducer(projectId), traceId));
  const [held, over] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const silent = database.query.transaction().execute(async (transaction) => {
    await lockCounting(transaction, projectId);
    held.resolve(undefined);
    await over.promise;
  });
  try {
    await held.promise;
    expect(await refreshEntries(database.query, projectId)).toEqual({ isCounted: false, isCostPending: false });
    await countTraces(database.query, projectId, [traceId]);
  } finally {
    over.resolve(undefined);
    await silent;
  }
  expect(await refreshEntries(database.query, projectId)).toEqual({ isCounted: true, isCostPending: false });
});
