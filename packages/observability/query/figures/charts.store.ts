import { sql, type Selectable } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { hasRole, hasRoleIn, type InProject, type OneInProject, type Reader } from "#store/reader.ts";

type Row = Selectable<ObservabilitySchema["observability.charts"]>;

export type ChartRow = Omit<Row, "project_id" | "place"> & { readonly can_change: boolean };
type ChartFields = Pick<Row, "name" | "measure" | "grouped_by" | "query" | "kind">;

/** Charts a project may have. */
export const MAX_CHARTS = 100;

/** In their order. */
export async function listCharts(query: Query, { projectId, reader }: InProject): Promise<readonly ChartRow[]> {
  return visible(query, reader).where("chart.project_id", "=", projectId).orderBy("chart.place").orderBy("chart.id").execute();
}

export async function findChart(query: Query, { projectId, reader, id }: OneInProject): Promise<ChartRow | undefined> {
  return visible(query, reader).where("chart.project_id", "=", projectId).where("chart.id", "=", id).executeTakeFirst();
}

/** Adds a chart behind the others. @returns false when the project has as many charts as it may, or the reader may not save any. */
export async function insertChart(query: Query, { projectId, reader, id, ...fields }: ChartFields & OneInProject): Promise<boolean> {
  const { rows } = await sql`
    insert into observability.charts as chart (id, project_id, author, name, measure, grouped_by, query, kind, place)
    select ${id}::uuid, project.id, ${toAuthor(reader)}::text, ${fields.name}::text, ${fields.measure}::text, ${fields.grouped_by}::text,
      ${fields.query}::text, ${fields.kind}::text, charts.next
    from observability.projects as project
    cross join lateral (
      select count(*) as number, coalesce(max(place) + 1, 0) as next from observability.charts where project_id = project.id
    ) as charts
    where project.id = ${projectId}::uuid and ${hasRole(reader, "editor")} and charts.number < ${MAX_CHARTS}
    returning chart.id`.execute(query);
  return rows.length > 0;
}

/** What is undefined stays as it is. */
export async function changeChart(query: Query, { projectId, reader, id }: OneInProject, change: Partial<ChartFields>): Promise<void> {
  await query
    .updateTable("observability.charts as chart")
    .set({ ...change, changed_at: sql<Date>`now()` })
    .where("chart.project_id", "=", projectId)
    .where("chart.id", "=", id)
    .where(mayChange(reader, projectId))
    .execute();
}

/** Gives these the first places; one that somebody saved meanwhile keeps its own. */
export async function orderCharts(query: Query, { projectId, reader }: InProject, ids: readonly string[]): Promise<void> {
  await sql`
    update observability.charts as chart set place = ordered.place - 1
    from unnest(${ids}::uuid[]) with ordinality as ordered (id, place)
    where chart.project_id = ${projectId}::uuid and chart.id = ordered.id and ${hasRoleIn(reader, "editor", projectId)}`.execute(query);
}

export async function deleteChart(query: Query, { projectId, reader, id }: OneInProject): Promise<void> {
  await query
    .deleteFrom("observability.charts as chart")
    .where("chart.project_id", "=", projectId)
    .where("chart.id", "=", id)
    .where(mayChange(reader, projectId))
    .execute();
}

function visible(query: Query, reader: Reader) {
  return query
    .selectFrom("observability.charts as chart")
    .innerJoin("observability.projects as project", "project.id", "chart.project_id")
    .where(hasRole(reader, "viewer"))
    .select([
      "chart.id",
      "chart.author",
      "chart.name",
      "chart.measure",
      "chart.grouped_by",
      "chart.query",
      "chart.kind",
      "chart.changed_at",
    ])
    .select(mayChange(reader, sql`chart.project_id`).as("can_change"));
}

/** Its author, and the project's owners. */
function mayChange(reader: Reader, projectId: Parameters<typeof hasRoleIn>[2]) {
  return sql<boolean>`((chart.author = ${toAuthor(reader)} and ${hasRoleIn(reader, "editor", projectId)}) or ${hasRoleIn(reader, "owner", projectId)})`;
}
