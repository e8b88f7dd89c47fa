import type { EachOwner } from "@sightline/foundation/each-owner";
import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { DISTRIBUTED_TABLES } from "./distribute.ts";
import { hasRole, hasRoleIn, type Reader } from "./reader.ts";

/** How many rows, and traces with all their steps, one short transaction deletes. */
const ROWS_AT_ONCE = 5_000;
const TRACES_AT_ONCE = 100;
const PROJECTS_AT_ONCE = 100;

/**
 * From its return on the project is nowhere: everything of it is found by way of its row alone. What there was of it is
 * deleted by {@link sweepDeletedProjects}; only its dead letters go now, since those that come later are the operator's.
 *
 * @returns whether the reader owned such a project.
 */
export async function deleteProject(query: Query, { id, reader }: { readonly id: string; readonly reader: Reader }): Promise<boolean> {
  for (let deleted = ROWS_AT_ONCE; deleted === ROWS_AT_ONCE;) {
    const { rows } = await sql`
      delete from observability.dead_letters where ctid = any(array(
        select ctid from observability.dead_letters as dead_letter where dead_letter.project_id = ${id} and ${hasRoleIn(reader, "owner", id)}
        limit ${ROWS_AT_ONCE} for update skip locked
      ))
      returning id`.execute(query);
    deleted = rows.length;
  }
  return query.transaction().execute(async (transaction) => {
    const project = await transaction
      .deleteFrom("observability.projects as project")
      .where("project.id", "=", id)
      .where(hasRole(reader, "owner"))
      .returning("project.id")
      .executeTakeFirst();
    if (project !== undefined) {
      await sql`insert into observability.deleted_projects (id) values (${id}::uuid)`.execute(transaction);
      await transaction.deleteFrom("observability.api_keys").where("project_id", "=", id).execute();
    }
    return project !== undefined;
  });
}

/** Of a trace, which are deleted with it. */
const OF_TRACES: readonly string[] = ["traces", "observations", "payloads", "blob_references", "text_references"];
/** Tables with an index that begins with the project. */
const TABLES = [
  ...DISTRIBUTED_TABLES.filter((table) => !OF_TRACES.includes(table)),
  "api_keys",
  "prompts",
  "prompt_versions",
  "prompt_labels",
] as const;

type Sweeping = { readonly each: EachOwner; readonly signal?: AbortSignal };

/**
 * Deletes what belongs to no project any more, also what a consumer wrote that remembered the project for a minute. Any
 * number of replicas may do it at once; what is left when `signal` aborts, or can't be deleted now, is left for the next time.
 *
 * @returns how many traces and other rows were deleted.
 */
export async function sweepDeletedProjects(
  query: Query,
  { each, signal }: Sweeping,
): Promise<{ readonly traces: number; readonly rows: number }> {
  const isStopping = () => signal?.aborted === true;
  let [traces, rows] = [0, 0];
  const sweep = async (projectId: string) => {
    const before = traces + rows;
    for (let deleted = TRACES_AT_ONCE; deleted === TRACES_AT_ONCE && !isStopping(); traces += deleted) {
      deleted = await deleteTraces(query, projectId);
    }
    for (const table of TABLES) {
      for (let deleted = ROWS_AT_ONCE; deleted === ROWS_AT_ONCE && !isStopping(); rows += deleted) {
        deleted = await deleteRows(query, table, projectId);
      }
    }
    if (!isStopping()) {
      await noteSwept(query, projectId, traces + rows === before);
    }
  };
  for (const left of await each(await listDeletedProjects(query), { idOf: (projectId) => projectId, work: sweep, signal })) {
    await noteSwept(query, left, false);
  }
  return { traces, rows };
}

/** Projects that were not swept for longest come first. */
async function listDeletedProjects(query: Query): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from observability.deleted_projects order by swept_at nulls first, id limit ${PROJECTS_AT_ONCE}`.execute(query);
  return rows.map(({ id }) => id);
}

/** One of which nothing was found long after it was deleted needs no more sweeping. */
async function noteSwept(query: Query, projectId: string, isEmpty: boolean): Promise<void> {
  await sql`update observability.deleted_projects set swept_at = now() where id = ${projectId}::uuid`.execute(query);
  if (isEmpty) {
    await sql`
      delete from observability.deleted_projects where id = ${projectId}::uuid and deleted_at < now() - interval '1 hour'`.execute(query);
  }
}

/** Locks the trace's row first, as writers do; it holds the day of all rows below it. */
async function deleteTraces(query: Query, projectId: string): Promise<number> {
  return query.transaction().execute(async (transaction) => {
    const { rows: chosen } = await sql<{ id: string; day: string }>`
      select id, day::text as day from observability.traces
      where project_id = ${projectId} limit ${TRACES_AT_ONCE} for update skip locked`.execute(transaction);
    if (chosen.length === 0) {
      return 0;
    }
    const given = sql`json_to_recordset(${JSON.stringify(chosen)}) as chosen (id uuid, day date)`;
    for (const table of ["observations", "payloads"]) {
      await sql`
        delete from ${sql.table(`observability.${table}`)} as row using ${given}
        where row.project_id = ${projectId} and row.trace_id = chosen.id and row.day = chosen.day`.execute(transaction);
    }
    for (const table of ["blob_references", "text_references"]) {
      await sql`
        delete from ${sql.table(`observability.${table}`)} as row using ${given}
        where row.project_id = ${projectId} and row.trace_id = chosen.id`.execute(transaction);
    }
    await sql`
      delete from observability.traces as row using ${given}
      where row.project_id = ${projectId} and row.id = chosen.id`.execute(transaction);
    return chosen.length;
  });
}

async function deleteRows(query: Query, table: (typeof TABLES)[number], projectId: string): Promise<number> {
  const name = sql.table(`observability.${table}`);
  const { numAffectedRows } = await sql`
    delete from ${name} where project_id = ${projectId} and ctid = any(array(
      select ctid from ${name} where project_id = ${projectId} limit ${ROWS_AT_ONCE} for update skip locked
    ))`.execute(query);
  return Number(numAffectedRows ?? 0n);
}
