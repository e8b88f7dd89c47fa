import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { distributeObservability } from "./distribute.ts";

let database: TestDatabase<ObservabilitySchema>;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
afterAll(() => database.drop());

test("a database that is of no cluster is left as it is, and what to do is said", async () => {
  await expect(distributeObservability(database.pool)).rejects.toThrow(/no Citus.*create extension citus.*citus_add_node/);
});
