import { sql, type Selectable } from "kysely";
import { MAX_CONNECTIONS } from "#contract.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { hasRoleIn, type InProject, type OneInProject } from "#store/reader.ts";

export type ConnectionRow = Selectable<ObservabilitySchema["observability.model_connections"]>;

/** By name. */
export async function listConnections(query: Query, wanted: InProject): Promise<readonly ConnectionRow[]> {
  return visible(query, wanted).orderBy("connection.name").limit(MAX_CONNECTIONS).execute();
}

export async function findConnection(query: Query, { id, ...wanted }: OneInProject): Promise<ConnectionRow | undefined> {
  return visible(query, wanted).where("connection.id", "=", id).executeTakeFirst();
}

type NewConnection = OneInProject & Pick<ConnectionRow, "name" | "provider" | "base_url" | "sealed_key"> & { readonly author: string };

/** @returns false when the reader may not, the name is taken, or there are {@link MAX_CONNECTIONS}. */
export async function insertConnection(query: Query, { projectId, reader, id, ...row }: NewConnection): Promise<boolean> {
  const { rows } = await sql`
    insert into observability.model_connections (id, project_id, name, provider, base_url, sealed_key, created_by)
    select ${id}::uuid, ${projectId}::uuid, ${row.name}::text, ${row.provider}::text, ${row.base_url}::text, ${row.sealed_key}::text, ${row.author}::text
    where ${hasRoleIn(reader, "owner", projectId)}
      and (select count(*) from observability.model_connections where project_id = ${projectId}::uuid) < ${MAX_CONNECTIONS}
    on conflict (project_id, name) do nothing
    returning id`.execute(query);
  return rows.length > 0;
}

export async function deleteConnection(query: Query, { projectId, reader, id }: OneInProject): Promise<boolean> {
  const { numDeletedRows } = await query
    .deleteFrom("observability.model_connections as connection")
    .where("connection.project_id", "=", projectId)
    .where("connection.id", "=", id)
    .where(hasRoleIn(reader, "owner", projectId))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

function visible(query: Query, { projectId, reader }: InProject) {
  return query
    .selectFrom("observability.model_connections as connection")
    .selectAll("connection")
    .where("connection.project_id", "=", projectId)
    .where(hasRoleIn(reader, "viewer", projectId));
}
