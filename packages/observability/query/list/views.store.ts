import { sql, type RawBuilder, type Selectable } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { hasRole, hasRoleIn, type Reader, type OneInProject, type InProject } from "#store/reader.ts";

type Row = Selectable<ObservabilitySchema["observability.views"]>;

export type ViewRow = Omit<Row, "project_id"> & { readonly can_change: boolean };
type ViewFields = Pick<Row, "name" | "query" | "sort" | "sort_order" | "columns" | "is_shared">;

/** Views that one author may save in a project, so that nobody uses up what others may save. */
export const MAX_VIEWS = 100;
const MAX_LISTED = 1_000;

/** The reader's own and the shared ones, by name; of too many, all of their own. */
export async function listViews(query: Query, { projectId, reader }: InProject): Promise<readonly ViewRow[]> {
  const chosen = visible(query, reader)
    .where("view.project_id", "=", projectId)
    .orderBy(sql`(view.author = ${authorOf(reader)})`, "desc")
    .orderBy("view.name")
    .orderBy("view.id")
    .limit(MAX_LISTED);
  return query.selectFrom(chosen.as("view")).selectAll().orderBy("view.name").orderBy("view.id").execute();
}

export async function findView(query: Query, { projectId, reader, id }: OneInProject): Promise<ViewRow | undefined> {
  return visible(query, reader).where("view.project_id", "=", projectId).where("view.id", "=", id).executeTakeFirst();
}

/** @returns false when the reader has as many views as they may, or may not save any. */
export async function insertView(query: Query, { projectId, reader, id, ...fields }: ViewFields & OneInProject): Promise<boolean> {
  const { rows } = await sql`
    insert into observability.views as view (id, project_id, author, name, query, sort, sort_order, columns, is_shared)
    select ${id}::uuid, project.id, ${authorOf(reader)}::text, ${fields.name}::text, ${fields.query}::text, ${fields.sort}::text,
      ${fields.sort_order}::text, ${fields.columns}::text[], ${fields.is_shared}::boolean
    from observability.projects as project
    where project.id = ${projectId}::uuid and ${hasRole(reader, "editor")}
      and (select count(*) from observability.views where project_id = project.id and author = ${authorOf(reader)}) < ${MAX_VIEWS}
    returning view.id`.execute(query);
  return rows.length > 0;
}

/** What is undefined stays as it is. */
export async function changeView(query: Query, { projectId, reader, id }: OneInProject, change: Partial<ViewFields>): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("observability.views as view")
    .set({ ...change, changed_at: sql<Date>`now()` })
    .where("view.project_id", "=", projectId)
    .where("view.id", "=", id)
    .where(mayChange(reader, projectId))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function deleteView(query: Query, { projectId, reader, id }: OneInProject): Promise<boolean> {
  const { numDeletedRows } = await query
    .deleteFrom("observability.views as view")
    .where("view.project_id", "=", projectId)
    .where("view.id", "=", id)
    .where(mayChange(reader, projectId))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

function visible(query: Query, reader: Reader) {
  return query
    .selectFrom("observability.views as view")
    .innerJoin("observability.projects as project", "project.id", "view.project_id")
    .where(hasRole(reader, "viewer"))
    .where((where) => where.or([where("view.is_shared", "=", true), where("view.author", "=", authorOf(reader))]))
    .select([
      "view.id",
      "view.author",
      "view.name",
      "view.query",
      "view.sort",
      "view.sort_order",
      "view.columns",
      "view.is_shared",
      "view.changed_at",
    ])
    .select(sql<boolean>`${canChange(reader, hasRole(reader, "editor"), hasRole(reader, "owner"))}`.as("can_change"));
}

/** Its author, and of a shared one the project's owners. */
function mayChange(reader: Reader, projectId: string) {
  return canChange(reader, hasRoleIn(reader, "editor", projectId), hasRoleIn(reader, "owner", projectId));
}

function canChange(reader: Reader, isEditor: RawBuilder<boolean>, isOwner: RawBuilder<boolean>) {
  return sql<boolean>`((view.author = ${authorOf(reader)} and ${isEditor}) or (view.is_shared and ${isOwner}))`;
}

function authorOf(reader: Reader): string {
  return reader.kind === "user" ? reader.userId : reader.kind;
}
