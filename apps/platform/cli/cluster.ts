import { describeCluster, placeCodeIndexTenant, type CodeIndexDatabase } from "@sightline/code-index";
import { createDatabase } from "@sightline/foundation/database/database";
import { createLog } from "@sightline/foundation/log";
import { onDatabase } from "./on-database.ts";
import { renderTable } from "./output/render-table.ts";

/** `sightline cluster status` */
export function showCluster(): Promise<void> {
  return onCodeIndex(async (database) => {
    const cluster = await describeCluster(database);
    if (cluster === undefined) {
      console.log('The code index has one PostgreSQL server, without Citus. See "More than one PostgreSQL node" in docs/operations.md.');
      return;
    }
    const { nodes, tenants, problems } = cluster;
    const counted = nodes.map(({ node, takesTenants, bytes }) => {
      const here = tenants.filter((tenant) => tenant.node === node).length;
      return [node, takesTenants ? "yes" : "no", String(here), describeSize(bytes)];
    });
    console.log(renderTable(["node", "takes tenants", "tenants", "size"], counted));
    console.log();
    const placed = tenants.map(({ name, node, bytes }) => [name, node ?? "coordinator", describeSize(bytes)]);
    console.log(renderTable(["tenant", "node", "size"], placed));
    problems.forEach((problem) => console.log(`\n${problem}`));
  });
}

/** `sightline cluster place`: safe to repeat, also when it was broken off. */
export function placeTenant(name: string, node: string | undefined): Promise<void> {
  return onCodeIndex(async (database) => {
    const placed = await placeCodeIndexTenant(database.query, { name, node });
    console.log(placed.moved ? `The tenant ${name} is on ${placed.node} now.` : `The tenant ${name} is on ${placed.node} already.`);
  });
}

/** To copy a large tenant takes as long as it takes. */
const STATEMENT_MS = 24 * 60 * 60_000;

function onCodeIndex(work: (database: CodeIndexDatabase) => Promise<void>): Promise<void> {
  return onDatabase(async ({ environment }) => {
    const log = createLog({ name: "cluster", level: "warn", destination: process.stderr });
    const url = environment["CODEINDEX_DATABASE_URL"] ?? "";
    const database: CodeIndexDatabase = createDatabase({
      url,
      poolSize: 2,
      applicationName: "sightline-cluster",
      log,
      statementTimeoutMs: STATEMENT_MS,
    });
    try {
      await work(database);
    } finally {
      await database.close();
    }
  });
}

function describeSize(bytes: number | null): string {
  return bytes === null ? "not known: the node does not answer" : `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
