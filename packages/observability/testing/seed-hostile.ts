import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import type { ObservabilitySchema } from "#schema.ts";
import { seedHostileTraces } from "./hostile-traces.ts";

/** `node packages/observability/testing/seed-hostile.ts DATABASE_URL PROJECT_ID` fills a project of a product that runs. */
const [, , url, projectId] = process.argv;
if (url === undefined || projectId === undefined) {
  throw new Error("give the address of the database and the id of a project: seed-hostile.ts DATABASE_URL PROJECT_ID");
}
const database = createDatabase<ObservabilitySchema>({ url, poolSize: 1, applicationName: "seed-hostile", log: silentLog });
const traces = await seedHostileTraces(database.query, { projectId });
await database.close();
process.stdout.write(`${JSON.stringify(traces, null, 2)}\n`);
