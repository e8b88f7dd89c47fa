import { afterAll, beforeAll, expect, test } from "vitest";
import { migrateDown, migrateUp, migrationStatus } from "@sightline/foundation/database/migrations";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { identityMigrations } from "#index.ts";
import type { IdentitySchema } from "#schema.ts";

let database: TestDatabase<IdentitySchema>;

beforeAll(async () => {
  database = await createTestDatabase<IdentitySchema>();
});

afterAll(() => database.drop());

test("the schema goes up, down one at a time until nothing is left, and up again", async () => {
  const all = (await migrationStatus(database.pool, identityMigrations)).map(({ name }) => name);

  expect(await migrateUp(database.pool, identityMigrations)).toEqual(all);
  for (const name of all.toReversed()) {
    expect(await migrateDown(database.pool, identityMigrations)).toBe(name);
  }
  const { rows } = await database.pool.query("select 1 from information_schema.schemata where schema_name = 'identity'");
  expect(rows).toEqual([]);
  expect(await migrateUp(database.pool, identityMigrations)).toEqual(all);
});
