import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { sql } from "kysely";
import type { CodeIndexTables } from "#schema.ts";

/**
 * What a tenant's tables hold, for a script outside of the parts, to compare with what they hold later: `digest-tables.ts <database> <schema>`.
 * Prints for each table the number of rows, a digest of them but for the generation they belong to, and one that also changes when a
 * row is written anew as it was.
 */
const [url = "", schema = ""] = process.argv.slice(2);
const database = createDatabase<CodeIndexTables>({ url, poolSize: 1, applicationName: "digest-tables", log: silentLog });
const { rows: tables } = await sql<{ name: string }>`
  select tablename as name from pg_tables where schemaname = ${schema} order by tablename
`.execute(database.query);
const digests: Record<string, object> = {};
for (const { name } of tables) {
  const { rows } = await sql<object>`
    select count(*)::integer as rows,
      coalesce(sum(hashtextextended(case when ${name} in ('files', 'visible') then (to_jsonb(one) - 'generation')::text else one::text end, 0)::numeric), 0)::text as held,
      coalesce(sum(hashtextextended(one.xmin::text || one::text, 0)::numeric), 0)::text as written
    from ${sql.id(schema, name)} as one
  `.execute(database.query);
  digests[name] = rows[0] ?? {};
}
console.log(JSON.stringify(digests));
await database.close();
