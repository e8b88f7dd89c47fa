import { isDeepStrictEqual } from "node:util";
import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import type { CodeIndexTables } from "#schema.ts";
import { listTenants } from "#store/tenancy/tenant.ts";
import { readLogicalIndex, type LogicalIndex } from "./logical-index.ts";

/**
 * For a script outside of the parts: `compare-tenants.ts <database> <tenant> <tenant>` prints where the indexes of two tenants' only
 * repositories differ, as a list of sentences.
 */
const [url = "", ...names] = process.argv.slice(2);
const database = createDatabase<CodeIndexTables>({ url, poolSize: 2, applicationName: "compare-tenants", log: silentLog });
const [one, other] = await Promise.all(names.map(read));
console.log(JSON.stringify(one === undefined || other === undefined ? ["two tenants are needed"] : differences(one, other)));
await database.close();

async function read(name: string): Promise<LogicalIndex> {
  const tenant = (await listTenants(database)).find((known) => known.name === name);
  if (tenant === undefined) {
    throw new Error(`There is no tenant ${name}.`);
  }
  const { id } = await database.query
    .selectFrom("codeindex.repositories")
    .select("id")
    .where("tenant_id", "=", tenant.tenantId)
    .executeTakeFirstOrThrow();
  return readLogicalIndex(database, { tenant, repoId: id });
}

function differences(first: LogicalIndex, second: LogicalIndex): readonly string[] {
  const found = (["files", "chunks", "symbols", "references"] as const).flatMap((table) => {
    const [of, and] = [first[table], second[table]];
    const at = of.findIndex((row, index) => !isDeepStrictEqual(row, and[index]));
    return at === -1 && of.length === and.length
      ? []
      : [`${table}: ${of.length} and ${and.length} rows; ${JSON.stringify(of[at])} and ${JSON.stringify(and[at])}`];
  });
  for (const term of new Set([...Object.keys(first.postings), ...Object.keys(second.postings)])) {
    if (!isDeepStrictEqual(first.postings[term], second.postings[term])) {
      found.push(`postings of ${term}: ${first.postings[term]?.length ?? 0} and ${second.postings[term]?.length ?? 0}`);
    }
  }
  return first.vectorless === 0 && second.vectorless === 0
    ? found
    : [...found, `${first.vectorless} and ${second.vectorless} without vector`];
}
