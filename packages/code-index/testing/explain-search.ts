import { createDatabase } from "@sightline/foundation/database/database";
import { createLog } from "@sightline/foundation/log";
import { createQueryEmbedder } from "#embedding/query-embedder.ts";
import { createSearchState, search } from "#retrieval/search/search.ts";
import type { CodeIndexTables } from "#schema.ts";
import { findTenant } from "#store/tenancy/tenant.ts";
import { noteStatements } from "./noted-statements.ts";
import { testConfig } from "./test-config.ts";

/**
 * The plans of the statements that searches run. Arguments: the database's address, the tenant's id. Prints `[{statement, plan}]`, each
 * statement once; they are noted as they pass and explained afterwards, with the very parameters they had.
 */
const [url = "", tenantId = ""] = process.argv.slice(2);
const log = createLog({ name: "explain", level: "warn" });
const connected = createDatabase<CodeIndexTables>({ url, poolSize: 4, applicationName: "explain", log });
const { database, explain } = noteStatements(connected);

const tenant = await findTenant(database, tenantId);
if (tenant === undefined) {
  throw new Error("No such tenant.");
}
const embedder = createQueryEmbedder({ config: testConfig(""), log });
for (const text of ["where is the token parsed", "parseConfig", "if (value === null) {"]) {
  await search({ ...createSearchState(), database, embedder, log }, { tenant }, { query: text, limit: 10 });
}
process.stdout.write(`${JSON.stringify(await explain(tenant.schema))}\n`);
await database.close();
