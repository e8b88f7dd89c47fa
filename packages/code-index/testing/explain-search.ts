import { createDatabase } from "@sightline/foundation/database/database";
import { createLog } from "@sightline/foundation/log";
import { Kysely, PostgresDialect } from "kysely";
import { createQueryEmbedder } from "#embedding/query-embedder.ts";
import { createSearchState, search } from "#retrieval/search/search.ts";
import type { CodeIndexTables } from "#schema.ts";
import { findTenant } from "#store/tenancy/tenant.ts";
import { testConfig } from "./test-config.ts";

/**
 * The plans of the statements that searches run. Arguments: the database's address, the tenant's id. Prints `[{statement, plan}]`, each
 * statement once; they are noted as they pass and explained afterwards, with the very parameters they had.
 */
const [url = "", tenantId = ""] = process.argv.slice(2);
const log = createLog({ name: "explain", level: "warn" });
const connected = createDatabase<CodeIndexTables>({ url, poolSize: 4, applicationName: "explain", log });
const passed = new Map<string, readonly unknown[]>();
const query = new Kysely<CodeIndexTables>({
  dialect: new PostgresDialect({ pool: connected.pool }),
  log: ({ query: { sql, parameters } }) => void passed.set(sql, parameters),
});
const database = { ...connected, query };

const tenant = await findTenant(database, tenantId);
if (tenant === undefined) {
  throw new Error("No such tenant.");
}
const embedder = createQueryEmbedder({ config: testConfig(""), log });
for (const text of ["where is the token parsed", "parseConfig", "if (value === null) {"]) {
  await search({ ...createSearchState(), database, embedder, log }, { tenant }, { query: text, limit: 10 });
}
const noted = [...passed].filter(([statement]) => statement.includes(`"${tenant.schema}"`) && /^\s*(?:select|with)\b/.test(statement));
const plans = [];
for (const [statement, parameters] of noted) {
  const { rows } = await connected.pool.query<{ "QUERY PLAN": readonly { Plan: unknown }[] }>(`explain (format json) ${statement}`, [
    ...parameters,
  ]);
  plans.push({ statement, plan: rows[0]?.["QUERY PLAN"][0]?.Plan });
}
process.stdout.write(`${JSON.stringify(plans)}\n`);
await database.close();
