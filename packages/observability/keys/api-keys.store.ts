import { sql } from "kysely";
import type { UsableKey } from "#query/access/authenticators.ts";
import type { Query } from "#schema.ts";
import { isAfter, selectMicros, type Position } from "#store/position.ts";
import { hasRole, type InProject } from "#store/reader.ts";

const columns = ["id", "project_id", "name", "prefix", "scopes", "created_at", "last_used_at", "revoked_at"] as const;
const keyColumns = columns.map((column) => `key.${column}` as const);

export type ApiKeySummary = {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
};

type NewRow = InProject & {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly hash: string;
  readonly scopes: readonly string[];
  readonly createdBy: string;
};

/** `undefined` when the reader owns no such project. */
export async function insertApiKey(query: Query, key: NewRow): Promise<ApiKeySummary | undefined> {
  const { rows } = await sql<ApiKeySummary>`
    insert into observability.api_keys as key (id, project_id, name, prefix, key_sha256, scopes, created_by)
    select ${key.id}::uuid, project.id, ${key.name}::text, ${key.prefix}::text, ${key.hash}::text, ${key.scopes}::text[], ${key.createdBy}::text
    from observability.projects as project
    where project.id = ${key.projectId}::uuid and ${hasRole(key.reader, "owner")}
    returning ${sql.join(keyColumns.map((name) => sql.ref(name)))}`.execute(query);
  return rows[0];
}

/** Lists the keys, newest first, revoked ones too. */
export async function listApiKeys(
  query: Query,
  wanted: InProject & { readonly after: Position | undefined; readonly limit: number },
): Promise<readonly (ApiKeySummary & { readonly position: string })[]> {
  let rows = query
    .selectFrom("observability.api_keys as key")
    .innerJoin("observability.projects as project", "project.id", "key.project_id")
    .select([...keyColumns, selectMicros("key.created_at").as("position")])
    .where("key.project_id", "=", wanted.projectId)
    .where(hasRole(wanted.reader, "owner"));
  if (wanted.after !== undefined) {
    rows = rows.where(isAfter("key.created_at", "key.id", wanted.after));
  }
  return rows.orderBy("key.created_at", "desc").orderBy("key.id", "desc").limit(wanted.limit).execute();
}

/** Revoking again changes nothing; `undefined` when no project of the reader's has such a key. */
export async function revokeApiKey(
  query: Query,
  { id, projectId, reader, now }: InProject & { readonly id: string; readonly now: Date },
): Promise<ApiKeySummary | undefined> {
  return query
    .updateTable("observability.api_keys as key")
    .from("observability.projects as project")
    .set((builder) => ({ revoked_at: builder.fn.coalesce("key.revoked_at", sql<Date>`${now}::timestamptz`) }))
    .whereRef("project.id", "=", "key.project_id")
    .where("key.id", "=", id)
    .where("key.project_id", "=", projectId)
    .where(hasRole(reader, "owner"))
    .returning(keyColumns)
    .executeTakeFirst();
}

export async function findUsableKey(query: Query, hash: string): Promise<UsableKey | undefined> {
  return query
    .selectFrom("observability.api_keys as key")
    .innerJoin("observability.projects as project", "project.id", "key.project_id")
    .select(["key.id", "key.project_id as projectId", "project.tenant_id as tenantId", "key.scopes"])
    .where("key.key_sha256", "=", hash)
    .where("key.revoked_at", "is", null)
    .executeTakeFirst();
}

export async function touchApiKey(query: Query, { id, now }: { readonly id: string; readonly now: Date }): Promise<void> {
  await query
    .updateTable("observability.api_keys")
    .set({ last_used_at: now })
    .where("id", "=", id)
    .where((builder) => builder.or([builder("last_used_at", "is", null), builder("last_used_at", "<", now)]))
    .execute();
}
