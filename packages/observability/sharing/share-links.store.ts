import { sql, type Selectable } from "kysely";
import { MAX_SHARE_LINKS } from "#contract.ts";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { hasRole, hasRoleIn, type InProject, type OneInProject, type Reader } from "#store/reader.ts";

export type ShareLinkRow = Selectable<ObservabilitySchema["observability.share_links"]>;

/** @returns false where the reader may not, links are off in the project, or it has too many. */
export async function insertShareLink(query: Query, reader: Reader, link: ShareLinkRow): Promise<boolean> {
  const { id, project_id: projectId, trace_id: traceId, created_at: now } = link;
  await sql`delete from observability.share_links where project_id = ${projectId}::uuid and expires_at <= ${now}::timestamptz`.execute(
    query,
  );
  const { rows } = await sql`
    insert into observability.share_links (id, project_id, trace_id, token_sha256, shows, created_by, created_at, expires_at)
    select ${id}::uuid, project.id, ${traceId}::uuid, ${link.token_sha256}::text, ${link.shows}::text[], ${link.created_by}::text,
      ${now}::timestamptz, ${link.expires_at}::timestamptz
    from observability.projects as project where project.id = ${projectId}::uuid and project.is_sharing and ${hasRole(reader, "editor")}
      and (select count(*) from observability.share_links as other where other.project_id = ${projectId}::uuid) < ${MAX_SHARE_LINKS}
    returning id`.execute(query);
  return rows.length > 0;
}

/** Those that are still valid, the newest first. */
export async function listShareLinks(query: Query, { projectId, reader }: InProject, now: Date): Promise<readonly ShareLinkRow[]> {
  const { rows } = await sql<ShareLinkRow>`
    select * from observability.share_links
    where project_id = ${projectId}::uuid and expires_at > ${now}::timestamptz and ${hasRoleIn(reader, "viewer", projectId)}
    order by created_at desc, id desc limit ${MAX_SHARE_LINKS}`.execute(query);
  return rows;
}

/** Ends a link. @returns false where the reader's project has no such link. */
export async function deleteShareLink(query: Query, { projectId, reader, id }: OneInProject): Promise<boolean> {
  const { rows } = await sql`
    delete from observability.share_links
    where project_id = ${projectId}::uuid and id = ${id}::uuid and ${hasRoleIn(reader, "editor", projectId)} returning id`.execute(query);
  return rows.length > 0;
}

export type OpenedLink = ShareLinkRow & { readonly tenant_id: string };

/** The link of a token while it is valid; whoever has the token is in no tenant. */
export async function findOpenedLink(query: Query, tokenHash: string, now: Date): Promise<OpenedLink | undefined> {
  const { rows } = await sql<OpenedLink>`
    select link.*, project.tenant_id from observability.share_links as link
    join observability.projects as project on project.id = link.project_id and project.is_sharing
    where link.token_sha256 = ${tokenHash} and link.expires_at > ${now}::timestamptz`.execute(query);
  return rows[0];
}
