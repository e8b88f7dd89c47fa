import { sql } from "kysely";
import type { Query } from "#schema.ts";

/** Counts the connections of all clients, as the limit `max_connections` does. */
export async function countConnections(query: Query): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity where backend_type = 'client backend'`.execute(query);
  return rows[0]?.count ?? 0;
}
