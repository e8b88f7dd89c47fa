import { createDatabase } from "@sightline/foundation/database/database";
import { migrateUp } from "@sightline/foundation/database/migrations";
import { createLog } from "@sightline/foundation/log";
import { sql } from "kysely";
import { searchCommits } from "#retrieval/commits/search-commits.ts";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant } from "#store/tenancy/tenant.ts";
import { noteStatements } from "./noted-statements.ts";
import { writeHistory } from "./write-history.ts";

/**
 * Times what is asked of a branch with so many commits. Arguments: the address of an empty database, how many commits. Prints
 * `{times: [{what, took}], plans: [{statement, plan}]}`, in milliseconds.
 */
const [url = "", wanted = "0"] = process.argv.slice(2);
const ROUNDS = 30;
const log = createLog({ name: "time", level: "warn" });
const connected = createDatabase<CodeIndexTables>({ url, poolSize: 4, applicationName: "time", log, statementTimeoutMs: 600_000 });
await migrateUp(connected.pool, codeIndexMigrations);
const tenant = await ensureTenant(connected, { tenantId: "bench", name: "bench" });
const { repo, paths } = await writeHistory(connected, tenant, Number(wanted));
await sql`vacuum (analyze)`.execute(connected.query);
const { database, explain } = noteStatements(connected);
const scope = { tenant, repo };

const pathAt = (round: number) => paths[(round * 17) % paths.length] ?? "";
const ASKED: Readonly<Record<string, (round: number) => Promise<unknown>>> = {
  "newest commits": () => searchCommits(database, scope, { limit: 30 }),
  "commits of a file": (round) => searchCommits(database, scope, { path: pathAt(round), limit: 30 }),
  "commits by words": (round) => searchCommits(database, scope, { query: `case ${round * 31}`, limit: 30 }),
};
const times: { readonly what: string; readonly took: readonly number[] }[] = [];
for (const [what, ask] of Object.entries(ASKED)) {
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    await ask(round);
    took.push(performance.now() - began);
  }
  times.push({ what, took });
}
process.stdout.write(`${JSON.stringify({ times, plans: await explain(tenant.schema) })}\n`);
await database.close();
