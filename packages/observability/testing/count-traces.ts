import { createDatabase } from "@sightline/foundation/database/database";
import { createLog } from "@sightline/foundation/log";
import type { ObservabilitySchema } from "#schema.ts";
import { readDefaultPrices } from "#prices/default-prices.ts";
import { seedDefaultPrices } from "#prices/prices.store.ts";
import { packHours } from "#testing/in-the-background.ts";
import { countMarkedTraces, findUncountedProjects, repriceTraces } from "#counting/count-traces.store.ts";

/** Counts and packs everything that is to be counted and packed, without the pauses of the background task. Argument: the database's address. */
const [url = ""] = process.argv.slice(2);
const database = createDatabase<ObservabilitySchema>({
  url,
  poolSize: 1,
  applicationName: "count",
  log: createLog({ name: "count", level: "warn" }),
});
await seedDefaultPrices(database.query, await readDefaultPrices());
for (const projectId of await findUncountedProjects(database.query)) {
  while (await countMarkedTraces(database.query, projectId)) {
    // The traces that are left.
  }
  while (await repriceTraces(database.query, projectId)) {
    // The traces that are left.
  }
}
while (await packHours(database.query, 0)) {
  // The hours that are left.
}
await database.close();
