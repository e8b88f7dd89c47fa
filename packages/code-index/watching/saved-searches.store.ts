import { sql } from "kysely";
import { v7 as newId } from "uuid";
import type { z } from "zod";
import {
  MAX_SAVED_SEARCHES,
  MAX_WATCHED_SEARCHES,
  type changeSavedSearchRequestSchema,
  type SavedQuery,
  type SavedSearch,
  type WatchAlert,
  type WatchLine,
} from "#contract.ts";
import type { Access } from "#store/tenancy/read-scope.store.ts";
import { readAs, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";

export type SavedSearchRow = Pick<SavedSearch, "id" | "name" | "watch" | "by_email" | "unread"> & {
  readonly query: SavedQuery;
  readonly created_at: Date;
};

/** Somebody of a tenant. */
export type Person = { readonly tenantId: string; readonly userId: string };
type One = Person & { readonly id: string };

/** Alerts of repositories that are not being deleted: of others nobody is told any more. */
const visibleAlerts = sql`codeindex.watch_alerts as alert join codeindex.repositories as repository
  on repository.id = alert.repo_id and repository.tenant_id = alert.tenant_id and repository.deleting_at is null`;

const columns = sql`search.id, search.name, search.query, search.watch, search.by_email, search.created_at, (
  select coalesce(sum(greatest(alert.matches, 1)), 0)::integer from ${visibleAlerts}
  where alert.search_id = search.id and alert.found_at > search.read_at
) as unread`;

const isOf = ({ tenantId, userId }: Person) => sql`search.tenant_id = ${tenantId} and search.user_id = ${userId}`;

/** A person's searches, the newest first; or the one with the id. */
export async function listSavedSearches(
  database: CodeIndexDatabase,
  { id, ...person }: Person & { readonly id?: string },
): Promise<readonly SavedSearchRow[]> {
  const { rows } = await sql<SavedSearchRow>`
    select ${columns} from codeindex.saved_searches as search
    where ${isOf(person)} and ${id === undefined ? sql`true` : sql`search.id = ${id}`}
    order by search.id desc limit ${MAX_SAVED_SEARCHES}
  `.execute(database.query);
  return rows;
}

type Saving = Person & { readonly name: string; readonly query: SavedQuery; readonly now: Date };

/** Saves a search once; undefined when the person has as many as may be. */
export async function saveSearch(
  database: CodeIndexDatabase,
  { name, query, now, ...person }: Saving,
): Promise<SavedSearchRow | undefined> {
  const { rows } = await sql<SavedSearchRow>`
    insert into codeindex.saved_searches as search (id, tenant_id, user_id, name, query, read_at, created_at)
    select ${newId()}::uuid, ${person.tenantId}, ${person.userId}, ${name}, ${JSON.stringify(query)}::jsonb, ${now}::timestamptz, ${now}::timestamptz
    where ${MAX_SAVED_SEARCHES} > (select count(*) from codeindex.saved_searches as search where ${isOf(person)})
    on conflict (tenant_id, user_id, md5(query::text)) do update set name = search.name
    returning ${columns}
  `.execute(database.query);
  return rows[0];
}

/** Undefined when the person has no such search, or watches as many as may be. */
export async function changeSavedSearch(
  database: CodeIndexDatabase,
  { id, ...person }: One,
  { name, watch, by_email: byEmail, read_until: readUntil }: z.infer<typeof changeSavedSearchRequestSchema>,
): Promise<SavedSearchRow | undefined> {
  const others = sql`select count(*) from codeindex.saved_searches as search where ${isOf(person)} and search.watch`;
  const { rows } = await sql<SavedSearchRow>`
    update codeindex.saved_searches as search set name = coalesce(${name ?? null}::text, name), watch = coalesce(${watch ?? null}::boolean, watch),
      by_email = coalesce(${byEmail ?? null}::boolean, by_email), read_at = greatest(read_at, ${readUntil ?? null}::timestamptz)
    where id = ${id} and ${isOf(person)} and (watch or ${watch !== true} or ${MAX_WATCHED_SEARCHES} > (${others}))
    returning ${columns}
  `.execute(database.query);
  return rows[0];
}

/** Deletes a search with its alerts; their lines are swept. */
export async function deleteSavedSearch(database: CodeIndexDatabase, { id, now, ...person }: One & { readonly now: Date }): Promise<void> {
  await sql`
    with deleted as (delete from codeindex.saved_searches as search where id = ${id} and ${isOf(person)} returning tenant_id)
    update codeindex.tenants as tenant set sweep_at = ${now} from deleted where tenant.tenant_id = deleted.tenant_id
  `.execute(database.query);
}

/** Alerts that are shown, and the milliseconds that reading their lines may take. */
const MAX_SHOWN = 50;
const READ_MS = 5_000;

type AlertRow = Omit<WatchAlert, "lines" | "found_at"> & { readonly id: string; readonly found_at: Date };

/** Alerts of a search, the newest first. */
export async function listAlerts(database: CodeIndexDatabase, { tenant, repositories }: Access, { id, ...person }: One) {
  const { rows } = await sql<AlertRow>`
    select alert.id, repository.full_name as repo, alert.ref, alert.base, alert.commit, alert.matches, alert.note, alert.found_at,
      alert.found_at > search.read_at as is_new
    from codeindex.saved_searches as search join (${visibleAlerts}) on alert.search_id = search.id
    where search.id = ${id} and ${isOf(person)} and ${repositories === undefined ? sql`true` : sql`alert.repo_id = any(${repositories}::uuid[])`}
    order by alert.found_at desc, alert.id limit ${MAX_SHOWN}
  `.execute(database.query);
  const { rows: kept } = await readAs(database, tenant, READ_MS, (transaction) =>
    sql<{ alert_id: string; lines: WatchLine[] }>`
      select alert_id, lines from ${sql.id(tenant.schema, "watch_lines")} where alert_id = any(${rows.map((row) => row.id)}::uuid[])
    `.execute(transaction),
  );
  const lines = new Map(kept.map((row) => [row.alert_id, row.lines]));
  return rows.map((row) => ({ ...row, lines: lines.get(row.id) ?? [] }));
}
