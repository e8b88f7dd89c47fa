import { migrateDown, migrateUp, migrationStatus } from "@sightline/foundation/database/migrations";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { writeEvents } from "#testing/write-events.ts";
import { seedDefaultPrices } from "#prices/prices.store.ts";
import { insertProject } from "./projects.store.ts";

let database: TestDatabase<ObservabilitySchema>;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
afterAll(() => database.drop());

test("the schema goes down until nothing is left, comes up again, and events are written", { timeout: 180_000 }, async () => {
  const send = async () => {
    const projectId = uuidv7();
    await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "mine" });
    await seedDefaultPrices(database.query, [{ model: "m-1", input: 1, output: 1, source: "test" }]);
    await writeEvents(database, agentRun(createProducer(projectId)));
  };
  await send();
  const all = (await migrationStatus(database.pool, observabilityMigrations)).map(({ name }) => name);
  const before = await schemaOf();
  for (const name of all.toReversed()) {
    expect(await migrateDown(database.pool, observabilityMigrations)).toBe(name);
  }
  expect(await schemaOf()).toEqual([]);
  expect(await migrateUp(database.pool, observabilityMigrations)).toEqual(all);
  expect(await schemaOf()).toEqual(before);
  await send();
});

async function schemaOf(): Promise<readonly unknown[]> {
  const { rows } = await database.pool.query(
    `select table_name, column_name, data_type from information_schema.columns where table_schema = 'observability' order by 1, 2`,
  );
  return rows;
}
