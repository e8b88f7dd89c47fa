import { sql } from "kysely";
import { v7 as newId } from "uuid";
import type { SavedQuery, WatchLine } from "#contract.ts";
import { matchesFile, visibleBuilds, type Scope } from "#store/tenancy/read-scope.store.ts";
import { readAs, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";

export type WatchedSearch = { readonly id: string; readonly query: SavedQuery };

/** The searches of a tenant that are watched, in an order that differs each time: where time is short, it is not always the same ones that have none. */
export async function listWatched(database: CodeIndexDatabase, tenantId: string): Promise<readonly WatchedSearch[]> {
  const { rows } = await sql<WatchedSearch>`
    select id, query from codeindex.saved_searches where tenant_id = ${tenantId} and watch order by random()
  `.execute(database.query);
  return rows;
}

/** A statement that takes longer is given up. */
const READ_MS = 5_000;

type InBranch = { readonly ref: string; readonly scope: Scope; readonly paths: readonly string[] };

/** Those of the paths that the scope lets be searched on the branch; undefined where it does not see the branch at all. */
export async function pathsInScope(database: CodeIndexDatabase, { ref, scope, paths }: InBranch): Promise<ReadonlySet<string> | undefined> {
  const { tenant } = scope;
  const { rows } = await readAs(database, tenant, READ_MS, (transaction) =>
    sql<{ path: string | null }>`
      select file.path from ${visibleBuilds(scope)} as build
      left join (
        ${sql.id(tenant.schema, "files")} as file join ${sql.id(tenant.schema, "documents")} as document on document.document_id = file.document_id
      ) on file.generation = build.generation and file.path = any(${paths}::text[]) and document.chunks > 0 and ${matchesFile(scope, "document")}
      where build.ref = ${ref}
    `.execute(transaction),
  );
  return rows.length === 0 ? undefined : new Set(rows.flatMap(({ path }) => path ?? []));
}

/** Alerts that are kept of a search, the newest. */
const MAX_ALERTS = 200;
/** Until a mail is sent: by then all searches of a push were looked for, so that one mail tells of them. */
const MAIL_AFTER = sql`interval '60 seconds'`;

export type NewAlert = {
  readonly tenant: Tenant;
  readonly searchId: string;
  readonly repoId: string;
  readonly ref: string;
  readonly base: string;
  readonly commit: string;
  readonly matches: number;
  readonly lines: readonly WatchLine[];
  readonly note: string | null;
  readonly now: Date;
};

/** Tells of a commit once, however often it is looked at; nothing of a search that is not watched any more. */
export async function addAlert(database: CodeIndexDatabase, { tenant, searchId, repoId, lines, now, ...alert }: NewAlert): Promise<void> {
  await database.query.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ id: string }>`
      insert into codeindex.watch_alerts (id, search_id, tenant_id, repo_id, ref, base, commit, matches, note, found_at, mail_at)
      select ${newId()}::uuid, search.id, search.tenant_id, repository.id, ${alert.ref}, ${alert.base}, ${alert.commit}, ${alert.matches}::integer,
        ${alert.note}::text, ${now}::timestamptz, case when search.by_email then ${now}::timestamptz + ${MAIL_AFTER} end
      from codeindex.saved_searches as search
      join codeindex.repositories as repository on repository.tenant_id = search.tenant_id
      where search.id = ${searchId} and search.tenant_id = ${tenant.tenantId} and search.watch
        and repository.id = ${repoId} and repository.deleting_at is null
      on conflict do nothing
      returning id
    `.execute(transaction);
    const [added] = rows;
    if (added === undefined) {
      return;
    }
    await sql`
      insert into ${sql.id(tenant.schema, "watch_lines")} (alert_id, lines) values (${added.id}, ${JSON.stringify(lines)}::json)
    `.execute(transaction);
    await sql`
      delete from codeindex.watch_alerts where tenant_id = ${tenant.tenantId} and id in (
        select id from codeindex.watch_alerts where search_id = ${searchId} order by found_at desc, id offset ${MAX_ALERTS}
      )
    `.execute(transaction);
  });
}
