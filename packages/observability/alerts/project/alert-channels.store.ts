import { sql, type Selectable } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { hasRole, hasRoleIn, type Reader, type OneInProject, type InProject } from "#store/reader.ts";

export type AlertChannelRow = Selectable<ObservabilitySchema["observability.alert_channels"]> & { readonly tenant_id: string };

/** The most channels of a project. */
export const MAX_CHANNELS = 20;

/** Lists the channels by name. */
export async function listAlertChannels(query: Query, { projectId, reader }: InProject): Promise<readonly AlertChannelRow[]> {
  return visible(query, reader)
    .where("channel.project_id", "=", projectId)
    .orderBy("channel.name")
    .orderBy("channel.id")
    .limit(MAX_CHANNELS)
    .execute();
}

export async function findAlertChannel(query: Query, { projectId, reader, id }: OneInProject): Promise<AlertChannelRow | undefined> {
  return visible(query, reader).where("channel.project_id", "=", projectId).where("channel.id", "=", id).executeTakeFirst();
}

/** The tenant whose addresses the project's alerts may be mailed to. */
export async function findTenant(query: Query, { projectId, reader }: InProject): Promise<string | undefined> {
  const project = await query
    .selectFrom("observability.projects as project")
    .select("tenant_id")
    .where("project.id", "=", projectId)
    .where(hasRole(reader, "owner"))
    .executeTakeFirst();
  return project?.tenant_id;
}

type NewChannel = Pick<AlertChannelRow, "name" | "kind" | "host" | "sealed_url" | "sealed_secret" | "created_by">;

/** @returns false when the project has as many channels as it may, or the reader may not make any. */
export async function insertAlertChannel(query: Query, { projectId, reader, id }: OneInProject, channel: NewChannel): Promise<boolean> {
  const { rows } = await sql`
    insert into observability.alert_channels as channel (id, project_id, name, kind, host, sealed_url, sealed_secret, created_by)
    select ${id}::uuid, project.id, ${channel.name}::text, ${channel.kind}::text, ${channel.host}::text, ${channel.sealed_url}::text,
      ${channel.sealed_secret}::text, ${channel.created_by}::text
    from observability.projects as project
    where project.id = ${projectId}::uuid and ${hasRole(reader, "owner")}
      and (select count(*) from observability.alert_channels where project_id = project.id) < ${MAX_CHANNELS}
    returning channel.id`.execute(query);
  return rows.length > 0;
}

/** Deletes a channel; rules that used it keep their other channels. */
export async function deleteAlertChannel(query: Query, { projectId, reader, id }: OneInProject): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom("observability.alert_channels as channel")
      .where("channel.project_id", "=", projectId)
      .where("channel.id", "=", id)
      .where(hasRoleIn(reader, "owner", projectId))
      .executeTakeFirstOrThrow();
    if (numDeletedRows > 0n) {
      await sql`update observability.alert_rules set channel_ids = array_remove(channel_ids, ${id}::uuid)
        where project_id = ${projectId}::uuid and ${id}::uuid = any(channel_ids)`.execute(transaction);
    }
    return numDeletedRows > 0n;
  });
}

/** Records the outcome of the last message that was tried. */
export async function noteChannelUse(query: Query, id: string, problem: string | null): Promise<void> {
  await query
    .updateTable("observability.alert_channels")
    .set({ last_problem: problem, ...(problem === null ? { last_sent_at: sql<Date>`now()` } : {}) })
    .where("id", "=", id)
    .execute();
}

function visible(query: Query, reader: Reader) {
  return query
    .selectFrom("observability.alert_channels as channel")
    .innerJoin("observability.projects as project", "project.id", "channel.project_id")
    .where(hasRole(reader, "viewer"))
    .selectAll("channel")
    .select("project.tenant_id");
}
