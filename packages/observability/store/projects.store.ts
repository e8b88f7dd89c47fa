import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { isAfter, microsOf, type Position } from "./position.ts";

type Query = Kysely<ObservabilitySchema>;

export type ProjectSummary = {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly retention_days: number | null;
  readonly position: string;
  readonly recent_traces: number;
  readonly last_trace_at: Date | null;
};

/** Those of `ids` that exist, in any tenant. */
export async function findProjectIds(query: Query, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await query
    .selectFrom("observability.projects")
    .select("id")
    .where("id", "=", sql<string>`any(${ids}::uuid[])`)
    .execute();
  return rows.map(({ id }) => id);
}

export async function insertProject(
  query: Query,
  project: { readonly id: string; readonly tenantId: string; readonly name: string },
): Promise<void> {
  await query.insertInto("observability.projects").values({ id: project.id, tenant_id: project.tenantId, name: project.name }).execute();
}

export async function findProject(
  query: Query,
  wanted: { readonly id: string; readonly tenantId: string | undefined; readonly recentSince: Date },
): Promise<ProjectSummary | undefined> {
  return summaries(query, wanted).where("id", "=", wanted.id).executeTakeFirst();
}

/** `tenantId` undefined: the operator's view, of all tenants. */
export async function hasProject(
  query: Query,
  { id, tenantId }: { readonly id: string; readonly tenantId: string | undefined },
): Promise<boolean> {
  const all = query.selectFrom("observability.projects").select("id").where("id", "=", id);
  const row = await (tenantId === undefined ? all : all.where("tenant_id", "=", tenantId)).executeTakeFirst();
  return row !== undefined;
}

/** @returns whether there is such a project. */
export async function changeProject(
  query: Query,
  wanted: {
    readonly id: string;
    readonly tenantId: string | undefined;
    readonly name: string | undefined;
    readonly retentionDays: number | null | undefined;
  },
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("observability.projects")
    // A column that is set to itself: with nothing to change the statement still tells whether there is such a project.
    .set((column) => ({
      name: wanted.name ?? column.ref("name"),
      retention_days: wanted.retentionDays === undefined ? column.ref("retention_days") : wanted.retentionDays,
    }))
    .where("id", "=", wanted.id)
    .where(isOfTenant(wanted.tenantId))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Newest first. */
export async function listProjects(
  query: Query,
  wanted: { readonly tenantId: string; readonly recentSince: Date; readonly after: Position | undefined; readonly limit: number },
): Promise<readonly ProjectSummary[]> {
  const { after } = wanted;
  const all = summaries(query, wanted);
  return (after === undefined ? all : all.where(isAfter("created_at", "id", after)))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(wanted.limit)
    .execute();
}

function summaries(query: Query, { tenantId, recentSince }: { readonly tenantId: string | undefined; readonly recentSince: Date }) {
  return query
    .selectFrom("observability.projects as project")
    .select((builder) => [
      "id",
      "name",
      "created_at",
      "retention_days",
      microsOf("created_at").as("position"),
      builder
        .selectFrom("observability.traces as trace")
        .whereRef("trace.project_id", "=", "project.id")
        .where("trace.sort_at", ">=", recentSince)
        .select((count) => count.fn.countAll<number>().as("count"))
        .$asScalar()
        .$notNull()
        .as("recent_traces"),
      builder
        .selectFrom("observability.traces as trace")
        .whereRef("trace.project_id", "=", "project.id")
        .orderBy("trace.sort_at", "desc")
        .limit(1)
        .select("trace.sort_at")
        .$asScalar()
        .as("last_trace_at"),
    ])
    .where(isOfTenant(tenantId));
}

/** Without a tenant, every project: the operator's view. */
function isOfTenant(tenantId: string | undefined) {
  return tenantId === undefined ? sql<boolean>`true` : sql<boolean>`tenant_id = ${tenantId}`;
}
