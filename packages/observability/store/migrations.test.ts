import { migrateDown, migrateUp, migrationStatus } from "@sightline/foundation/database/migrations";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { tablesOf } from "#testing/consumer-rig.ts";
import { writeEvents } from "#testing/write-events.ts";
import { seedDefaultPrices } from "#prices/prices.store.ts";
import { insertProject } from "./projects.store.ts";

let database: TestDatabase<ObservabilitySchema>;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
afterAll(() => database.drop());

test(
  "each revision goes back and comes again with what applications sent still there, and the next events are written",
  { timeout: 180_000 },
  async () => {
    const projectId = uuidv7();
    await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "mine" });
    const producer = createProducer(projectId);
    await writeEvents(database, agentRun(producer));
    await writeEvents(database, [producer.event("blob", { sha256: "ab".repeat(32), content: { "\u{1F600} ": [1e308, null] } })]);
    await database.pool.query(
      "insert into observability.ingest_gaps (project_id, producer_id, first_seq, last_seq) values ($1, $1, 1, 2)",
      [projectId],
    );
    await seedDefaultPrices(database.query, [{ model: "m-1", input: 1, output: 1, source: "test" }]);
    const all = (await migrationStatus(database.pool, observabilityMigrations)).map(({ name }) => name);
    const before = await tablesOf(database);
    // The first one takes everything with it.
    for (const depth of all.slice(1).keys()) {
      const undone: (string | undefined)[] = [];
      for (let count = 0; count <= depth; count += 1) {
        undone.push(await migrateDown(database.pool, observabilityMigrations));
      }
      expect(undone).toEqual(all.toReversed().slice(0, depth + 1));
      expect(await migrateUp(database.pool, observabilityMigrations)).toEqual(undone.toReversed());
      expect(await tablesOf(database), undone.at(-1)).toEqual(before);
    }
    await writeEvents(database, agentRun(createProducer(projectId)));
  },
);
