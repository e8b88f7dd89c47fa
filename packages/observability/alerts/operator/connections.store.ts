import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";

/** Of all clients, as the limit `max_connections` counts them. */
export async function countConnections(query: Kysely<ObservabilitySchema>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity where backend_type = 'client backend'`.execute(query);
  return rows[0]?.count ?? 0;
}
