import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";

/** Events found lost since then; with a tenant, those of its projects. */
export async function countRecentlyLost(
  query: Kysely<ObservabilitySchema>,
  { tenantId, since }: { readonly tenantId: string | undefined; readonly since: Date },
): Promise<number> {
  const { rows } = await sql<{ lost: number }>`
    select least(coalesce(sum(gap.last_seq - gap.first_seq + 1), 0), ${Number.MAX_SAFE_INTEGER})::bigint as lost
    from observability.ingest_gaps as gap
    join observability.projects as project on project.id = gap.project_id
    where gap.found_at >= ${since} and (${tenantId ?? null}::text is null or project.tenant_id = ${tenantId ?? null}::text)`.execute(query);
  return rows[0]?.lost ?? 0;
}
