import { sql } from "kysely";
import type { ProjectAccess, ProjectRole } from "#contract.ts";
import type { Query } from "#schema.ts";
import { isAfter, selectMicros, type Position } from "./position.ts";
import { isLive } from "./live-traces.ts";
import { hasRole, selectRole, type Reader } from "./reader.ts";

export type ProjectSummary = {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly retention_days: number | null;
  readonly access: ProjectAccess;
  readonly is_sharing: boolean;
  readonly playground_budget: number | null;
  readonly my_role: ProjectRole;
  readonly position: string;
  readonly recent_traces: number;
  readonly last_trace_at: Date | null;
};

/** Finds which of `ids` exist, in any tenant. */
export async function findProjectIds(query: Query, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await query
    .selectFrom("observability.projects")
    .select("id")
    .where("id", "=", sql<string>`any(${ids}::uuid[])`)
    .execute();
  return rows.map(({ id }) => id);
}

type NewProject = {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  /** By default open to the tenant without an owner, and to members only with one. */
  readonly access?: ProjectAccess;
  readonly ownerId?: string;
};

export async function insertProject(query: Query, { id, tenantId, name, access, ownerId }: NewProject): Promise<void> {
  const chosen = access ?? (ownerId === undefined ? "tenant" : "members");
  await sql`
    with project as (
      insert into observability.projects (id, tenant_id, name, access) values (${id}, ${tenantId}, ${name}, ${chosen}) returning id
    )
    insert into observability.project_members (project_id, user_id, role, added_by)
    select project.id, ${ownerId ?? null}::text, 'owner', ${ownerId ?? null}::text from project where ${ownerId ?? null}::text is not null
  `.execute(query);
}

export async function findProject(
  query: Query,
  wanted: { readonly id: string; readonly reader: Reader; readonly recentSince: Date },
): Promise<ProjectSummary | undefined> {
  const rows = await summaries(query, wanted.reader).where("project.id", "=", wanted.id).execute();
  return (await withActivity(query, rows, wanted.recentSince))[0];
}

/** @returns whether the reader owns such a project. */
export async function changeProject(
  query: Query,
  wanted: {
    readonly id: string;
    readonly reader: Reader;
    readonly name: string | undefined;
    readonly access: ProjectAccess | undefined;
    readonly isSharing: boolean | undefined;
    readonly playgroundBudget: number | null | undefined;
    readonly retentionDays: number | null | undefined;
  },
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("observability.projects as project")
    // A column that is set to itself: with nothing to change the statement still tells whether there is such a project.
    .set((column) => ({
      name: wanted.name ?? column.ref("project.name"),
      access: wanted.access ?? column.ref("project.access"),
      playground_budget: wanted.playgroundBudget === undefined ? column.ref("project.playground_budget") : wanted.playgroundBudget,
      is_sharing: wanted.isSharing ?? column.ref("project.is_sharing"),
      retention_days: wanted.retentionDays === undefined ? column.ref("project.retention_days") : wanted.retentionDays,
    }))
    .where("project.id", "=", wanted.id)
    .where(hasRole(wanted.reader, "owner"))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Dollars that people may spend in the playground in a day (UTC); null: as much as they need. */
export async function findPlaygroundBudget(query: Query, id: string): Promise<number | null> {
  const row = await query.selectFrom("observability.projects").select("playground_budget").where("id", "=", id).executeTakeFirst();
  return row === undefined ? 0 : row.playground_budget;
}

/** Lists projects, newest first. */
export async function listProjects(
  query: Query,
  wanted: { readonly reader: Reader; readonly recentSince: Date; readonly after: Position | undefined; readonly limit: number },
): Promise<readonly ProjectSummary[]> {
  const { after } = wanted;
  const all = summaries(query, wanted.reader);
  const rows = await (after === undefined ? all : all.where(isAfter("project.created_at", "project.id", after)))
    .orderBy("project.created_at", "desc")
    .orderBy("project.id", "desc")
    .limit(wanted.limit)
    .execute();
  return withActivity(query, rows, wanted.recentSince);
}

type Activity = Pick<ProjectSummary, "recent_traces" | "last_trace_at">;

async function withActivity<Row extends { readonly id: string }>(
  query: Query,
  projects: readonly Row[],
  recentSince: Date,
): Promise<readonly (Row & Activity)[]> {
  const activities = await findActivities(
    query,
    projects.map(({ id }) => id),
    recentSince,
  );
  return projects.map((project) => ({ ...project, ...(activities.get(project.id) ?? { recent_traces: 0, last_trace_at: null }) }));
}

/** Reads of each project no more than its recent traces, and of those without any one: it may have millions. */
async function findActivities(query: Query, ids: readonly string[], since: Date): Promise<ReadonlyMap<string, Activity>> {
  const { rows: recent } = await sql<Activity & { readonly id: string }>`
    select project_id as id, count(*) as recent_traces, max(sort_at) as last_trace_at from observability.traces as trace
    where ${isLive("trace")} and project_id = any(${ids}::uuid[]) and sort_at >= ${since} group by project_id`.execute(query);
  const activities = new Map<string, Activity>(recent.map(({ id, ...activity }) => [id, activity]));
  const quiet = ids.filter((id) => !activities.has(id));
  if (quiet.length > 0) {
    const newest = quiet.map(
      (id) => sql`(
      select project_id as id, sort_at as last_trace_at from observability.traces as trace
      where ${isLive("trace")} and project_id = ${id}::uuid and sort_at is not null order by sort_at desc limit 1
    )`,
    );
    const { rows } = await sql<{ id: string; last_trace_at: Date }>`${sql.join(newest, sql` union all `)}`.execute(query);
    for (const { id, last_trace_at: lastTraceAt } of rows) {
      activities.set(id, { recent_traces: 0, last_trace_at: lastTraceAt });
    }
  }
  return activities;
}

function summaries(query: Query, reader: Reader) {
  return query
    .selectFrom("observability.projects as project")
    .select([
      "project.id",
      "project.name",
      "project.created_at",
      "project.retention_days",
      "project.access",
      "project.is_sharing",
      "project.playground_budget",
      selectRole(reader).$notNull().as("my_role"),
      selectMicros("project.created_at").as("position"),
    ])
    .where(hasRole(reader, "viewer"));
}
