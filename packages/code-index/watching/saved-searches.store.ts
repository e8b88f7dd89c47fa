import { sql } from "kysely";
import { v7 as newId } from "uuid";
import { MAX_SAVED_SEARCHES, MAX_WATCHED_SEARCHES, type SavedQuery, type WatchAlert, type WatchLine } from "#contract.ts";
import { readAs, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";

export type SavedSearchRow = {
  readonly id: string;
  readonly name: string;
  readonly query: SavedQuery;
  readonly watch: boolean;
  readonly by_email: boolean;
  readonly unread: number;
  readonly created_at: Date;
};

/** A person of a tenant. */
type Of = { readonly tenantId: string; readonly userId: string };
type One = Of & { readonly id: string };

/** Alerts of repositories that are not being deleted: of others nobody is told any more. */
const visibleAlerts = sql`codeindex.watch_alerts as alert join codeindex.repositories as repository
  on repository.id = alert.repo_id and repository.tenant_id = alert.tenant_id and repository.deleting_at is null`;

const columns = sql`search.id, search.name, search.query, search.watch, search.by_email, search.created_at, (
  select coalesce(sum(greatest(alert.matches, 1)), 0)::integer from ${visibleAlerts}
  where alert.search_id = search.id and alert.found_at > search.read_at
) as unread`;

/** A person's searches, the newest first; or the one with the id. */
export async function listSavedSearches(
  database: CodeIndexDatabase,
  { tenantId, userId, id }: Of & { readonly id?: string },
): Promise<readonly SavedSearchRow[]> {
  const { rows } = await sql<SavedSearchRow>`
    select ${columns} from codeindex.saved_searches as search
    where search.tenant_id = ${tenantId} and search.user_id = ${userId} and ${id === undefined ? sql`true` : sql`search.id = ${id}`}
    order by search.id desc limit ${MAX_SAVED_SEARCHES}
  `.execute(database.query);
  return rows;
}

type Saving = Of & { readonly name: string; readonly query: SavedQuery; readonly now: Date };

/** Saves a search once; undefined when the person has as many as may be. */
export async function saveSearch(
  database: CodeIndexDatabase,
  { tenantId, userId, name, query, now }: Saving,
): Promise<SavedSearchRow | undefined> {
  const { rows } = await sql<SavedSearchRow>`
    insert into codeindex.saved_searches as search (id, tenant_id, user_id, name, query, read_at, created_at)
    select ${newId()}::uuid, ${tenantId}, ${userId}, ${name}, ${JSON.stringify(query)}::jsonb, ${now}::timestamptz, ${now}::timestamptz
    where ${MAX_SAVED_SEARCHES} > (select count(*) from codeindex.saved_searches where tenant_id = ${tenantId} and user_id = ${userId})
    on conflict (tenant_id, user_id, md5(query::text)) do update set name = search.name
    returning ${columns}
  `.execute(database.query);
  return rows[0];
}

type Change = {
  readonly name?: string | undefined;
  readonly watch?: boolean | undefined;
  readonly by_email?: boolean | undefined;
  readonly read_until?: string | undefined;
};

/** Undefined when the person has no such search, or watches as many as may be. */
export async function changeSavedSearch(
  database: CodeIndexDatabase,
  { tenantId, userId, id }: One,
  { name = null, watch = null, by_email: byEmail = null, read_until: readUntil = null }: { [Name in keyof Change]: Change[Name] | null },
): Promise<SavedSearchRow | undefined> {
  const { rows } = await sql<SavedSearchRow>`
    update codeindex.saved_searches as search set name = coalesce(${name}::text, name), watch = coalesce(${watch}::boolean, watch),
      by_email = coalesce(${byEmail}::boolean, by_email), read_at = greatest(read_at, ${readUntil}::timestamptz)
    where id = ${id} and tenant_id = ${tenantId} and user_id = ${userId} and (watch or ${watch}::boolean is not true or ${MAX_WATCHED_SEARCHES} > (
      select count(*) from codeindex.saved_searches as other where other.tenant_id = ${tenantId} and other.user_id = ${userId} and other.watch
    ))
    returning ${columns}
  `.execute(database.query);
  return rows[0];
}

/** Deletes a search with its alerts; their lines are swept. False when the person has no such search. */
export async function deleteSavedSearch(
  database: CodeIndexDatabase,
  { tenantId, userId, id, now }: One & { readonly now: Date },
): Promise<boolean> {
  const { rows } = await sql`
    with deleted as (
      delete from codeindex.saved_searches where id = ${id} and tenant_id = ${tenantId} and user_id = ${userId} returning tenant_id
    )
    update codeindex.tenants as tenant set sweep_at = ${now} from deleted where tenant.tenant_id = deleted.tenant_id returning tenant.tenant_id
  `.execute(database.query);
  return rows.length > 0;
}

/** Alerts that are shown, and the milliseconds that reading their lines may take. */
const MAX_SHOWN = 50;
const READ_MS = 5_000;

type AlertRow = Omit<WatchAlert, "lines" | "found_at"> & { readonly id: string; readonly found_at: Date };

/** What was found for a search, the newest first. */
export async function listAlerts(
  database: CodeIndexDatabase,
  { tenant, userId, id }: { readonly tenant: Tenant; readonly userId: string; readonly id: string },
): Promise<readonly (Omit<WatchAlert, "found_at"> & { readonly found_at: Date })[]> {
  const { rows } = await sql<AlertRow>`
    select alert.id, repository.full_name as repo, alert.ref, alert.base, alert.commit, alert.matches, alert.note, alert.found_at,
      alert.found_at > search.read_at as is_new
    from codeindex.saved_searches as search join (${visibleAlerts}) on alert.search_id = search.id
    where search.id = ${id} and search.tenant_id = ${tenant.tenantId} and search.user_id = ${userId}
    order by alert.found_at desc, alert.id limit ${MAX_SHOWN}
  `.execute(database.query);
  const lines = await readAs(database, tenant, READ_MS, async (transaction) => {
    const found = await sql<{ alert_id: string; lines: readonly WatchLine[] }>`
      select alert_id, lines from ${sql.id(tenant.schema, "watch_lines")} where alert_id = any(${rows.map((row) => row.id)}::uuid[])
    `.execute(transaction);
    return new Map(found.rows.map((row) => [row.alert_id, row.lines]));
  });
  return rows.map(({ id: alertId, ...alert }) => ({ ...alert, lines: [...(lines.get(alertId) ?? [])] }));
}
