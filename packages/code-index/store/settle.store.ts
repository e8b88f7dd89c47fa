import { sql } from "kysely";
import type { CodeIndexDatabase, TenantSchema } from "./tenant.ts";

const GIN_INDEXES = ["code_chunks_content_trigrams", "code_chunks_path_trigrams", "code_chunks_symbols", "symbol_references_names"];
const TABLES = ["documents", "files", "code_chunks", "postings", "visible", "symbols", "symbol_references"];

/** What fewer paths left is as well done by the database's own hand. */
const LARGE = 200;

/**
 * Cleans up after a large write: what writes put aside goes into the GIN indexes, and the planner learns the new sizes.
 * Where nothing vacuums in the background, as in the embedded database, the room of deleted rows is freed here.
 */
export async function settleTables(
  database: CodeIndexDatabase,
  { schema }: { readonly schema: TenantSchema },
  { paths }: { readonly paths: number },
): Promise<void> {
  const { rows } = await sql`select from pg_stat_activity where backend_type = 'autovacuum launcher'`.execute(database.query);
  if (rows.length === 0) {
    for (const table of TABLES) {
      await sql`vacuum (analyze) ${sql.id(schema, table)}`.execute(database.query);
    }
    return;
  }
  if (paths < LARGE) {
    return;
  }
  for (const index of GIN_INDEXES) {
    await sql`select gin_clean_pending_list(format('%I.%I', ${schema}::text, ${index}::text)::regclass)`.execute(database.query);
  }
  for (const table of TABLES) {
    await sql`analyze ${sql.id(schema, table)}`.execute(database.query);
  }
}
