import { sql } from "kysely";
import type { CodeIndexDatabase, TenantSchema } from "#store/tenancy/tenant.ts";

const TABLES = [
  "documents",
  "files",
  "code_chunks",
  "postings",
  "trigrams",
  "visible",
  "symbols",
  "symbol_references",
  "commits",
  "changes",
];

/** What fewer paths left is as well done by the database's own hand. */
const LARGE = 200;

/** Without such a hand a table is looked at when so many rows, and so much of it, have changed since it was: not for each push. */
const CHANGED_ROWS = 1_000;
const CHANGED_SHARE = 0.1;

/** Has the planner learn the sizes after a large write; frees deleted rows where nothing else does, as in the embedded database. */
export async function settleTables(
  database: CodeIndexDatabase,
  { schema }: { readonly schema: TenantSchema },
  { paths }: { readonly paths: number },
): Promise<void> {
  const { rows } = await sql`select from pg_stat_activity where backend_type = 'autovacuum launcher'`.execute(database.query);
  if (rows.length === 0) {
    for (const table of paths < LARGE ? await changedTables(database, schema) : TABLES) {
      await sql`vacuum (analyze) ${sql.id(schema, table)}`.execute(database.query);
    }
    return;
  }
  if (paths < LARGE) {
    return;
  }
  for (const table of TABLES) {
    await sql`analyze ${sql.id(schema, table)}`.execute(database.query);
  }
}

async function changedTables(database: CodeIndexDatabase, schema: TenantSchema): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select stat.relname as name from pg_stat_all_tables as stat join pg_class as class on class.oid = stat.relid
    where stat.schemaname = ${schema} and stat.relname = any(${TABLES}::text[])
      and (class.reltuples < 0 or stat.n_mod_since_analyze > ${CHANGED_ROWS} + class.reltuples * ${CHANGED_SHARE})
  `.execute(database.query);
  return rows.map(({ name }) => name);
}
