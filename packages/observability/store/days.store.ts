import { lockKey } from "@sightline/foundation/database/advisory-lock";
import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { deleteComments } from "./comments.store.ts";
import { releaseBlobs } from "./release-blobs.store.ts";

/** Makes the partitions of today and the next days where they are missing; any number of processes may do it at once. */
export async function ensureDays(query: Query): Promise<void> {
  await sql`select observability.ensure_days()`.execute(query);
}

/** Lists the days that have partitions and get no new traces any more, oldest first, as `YYYY-MM-DD`. */
export async function listPastDays(query: Query): Promise<readonly string[]> {
  const { rows } = await sql<{ day: string }>`
    select to_char(to_date(substring(child.relname from '_([0-9]{8})$'), 'YYYYMMDD'), 'YYYY-MM-DD') as day
    from pg_inherits as link
    join pg_class as child on child.oid = link.inhrelid
    where link.inhparent = 'observability.observations'::regclass
      and to_date(substring(child.relname from '_([0-9]{8})$'), 'YYYYMMDD') < ${today()} - 1
    order by day`.execute(query);
  return rows.map(({ day }) => day);
}

/** Finds the projects that keep their traces of a day no longer, and whether no other project keeps traces of it. */
export async function findExpiredOn(
  query: Query,
  day: string,
): Promise<{ readonly projects: readonly string[]; readonly isDayOver: boolean }> {
  const { rows: found } = await sql<{ project_id: string }>`
    select trace.project_id from observability.projects as project
    join observability.traces as trace on trace.day = ${day}::date and trace.project_id = project.id
    where ${isOver(day, "project")} group by trace.project_id order by trace.project_id`.execute(query);
  const { rows: kept } = await sql`
    select 1 from observability.projects as project
    join observability.traces as trace on trace.day = ${day}::date and trace.project_id = project.id
    where not ${isOver(day, "project")} limit 1`.execute(query);
  return { projects: found.map((row) => row.project_id), isDayOver: kept.length === 0 };
}

type Expired = {
  readonly projectId: string;
  readonly day: string;
  readonly atOnce: number;
  /** While some other project keeps its traces of that day, their rows go with them; otherwise the rows wait for {@link dropDay}. */
  readonly isDayOver: boolean;
};

/** Deletes some of the traces of a day that their project keeps no longer, and tells how many. Replicas may do it at once. */
export async function deleteExpiredTraces(query: Query, { projectId, day, atOnce, isDayOver }: Expired): Promise<number> {
  return query.transaction().execute(async (transaction) => {
    const { rows: expired } = await sql<{ id: string }>`
      select trace.id
      from observability.projects as project
      join observability.traces as trace on trace.day = ${day}::date and trace.project_id = project.id
      where trace.project_id = ${projectId}::uuid and ${isOver(day, "project")}
      limit ${atOnce}
      for update of trace skip locked`.execute(transaction);
    if (expired.length === 0) {
      return 0;
    }
    const given = sql`json_to_recordset(${JSON.stringify(expired)}) as expired (id uuid)`;
    const isOfProject = sql`row.project_id = ${projectId}::uuid`;
    for (const table of isDayOver ? [] : ["observations", "payloads"]) {
      await sql`
        delete from ${sql.table(`observability.${table}`)} as row using ${given}
        where ${isOfProject} and row.trace_id = expired.id and row.day = ${day}::date`.execute(transaction);
    }
    await sql`
      delete from observability.scores as row using ${given} where ${isOfProject} and row.trace_id = expired.id`.execute(transaction);
    await sql`
      delete from observability.annotations as row using ${given} where ${isOfProject} and row.trace_id = expired.id`.execute(transaction);
    await deleteComments(transaction, projectId, sql`comment.within_id = any(${expired.map(({ id }) => id)}::uuid[])`);
    // The traces of judges are as old as what they judged, and expire by themselves.
    await sql`
      delete from observability.judgements as row using ${given}
      where ${isOfProject} and row.trace_id = expired.id and row.item_id is null`.execute(transaction);
    await releaseBlobs(
      transaction,
      projectId,
      expired.map(({ id }) => id),
    );
    await sql`
      insert into observability.trace_marks (project_id, trace_id)
      select ${projectId}::uuid, expired.id from ${given}
      union
      select ${projectId}::uuid, unnest(row.runs)
      from ${given} join observability.trace_entries as row on ${isOfProject} and row.trace_id = expired.id`.execute(transaction);
    await sql`
      delete from observability.traces as row using ${given}
      where ${isOfProject} and row.id = expired.id`.execute(transaction);
    return expired.length;
  });
}

const ROWS_AT_ONCE = 5_000;

type RowsOfDay = { readonly projectId: string; readonly day: string; readonly isStopping: () => boolean };

/** Deletes the rows of a day whose traces are deleted already, where the day itself can't be dropped. */
export async function deleteRowsOfDay(query: Query, { projectId, day, isStopping }: RowsOfDay): Promise<void> {
  const isOfDay = sql`row.project_id = ${projectId}::uuid and row.day = ${day}::date and not exists (
    select from observability.traces as trace where trace.project_id = ${projectId}::uuid and trace.id = row.trace_id
  )`;
  for (const table of ["observations", "payloads"]) {
    const name = sql.table(`observability.${table}`);
    for (let deleted = ROWS_AT_ONCE; deleted === ROWS_AT_ONCE && !isStopping();) {
      const { numAffectedRows = 0n } = await sql`
        delete from ${name} as row where row.project_id = ${projectId}::uuid and row.day = ${day}::date and row.ctid = any(array(
          select row.ctid from ${name} as row where ${isOfDay} limit ${ROWS_AT_ONCE}
        ))`.execute(query);
      deleted = Number(numAffectedRows);
    }
  }
}

/**
 * Drops the partitions of a day of which no trace is left. Gives up when readers and writers leave no gap for
 * {@link LOCK_MS}, so that nobody waits behind it for longer.
 *
 * @returns whether they were dropped by this call.
 */
export async function dropDay(query: Query, day: string): Promise<boolean> {
  const suffix = day.replaceAll("-", "");
  return query.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${lockKey("observability.days")}), set_config('lock_timeout', ${`${LOCK_MS}ms`}, true)`.execute(
      transaction,
    );
    const { rows } = await sql<{ is_left: boolean }>`
      select exists (select from pg_tables where schemaname = 'observability' and tablename = ${`observations_${suffix}`})
        and ${day}::date < ${today()} - 1 as is_left`.execute(transaction);
    const { rows: traces } = await sql`select 1 from observability.traces where day = ${day}::date limit 1`.execute(transaction);
    if (rows[0]?.is_left !== true || traces.length > 0) {
      return false;
    }
    for (const table of ["observations", "payloads"]) {
      await sql`drop table if exists ${sql.table(`observability.${table}_${suffix}`)}`.execute(transaction);
    }
    return true;
  });
}

const LOCK_MS = 2_000;

function isOver(day: string, project: string) {
  const retention = sql.ref(`${project}.retention_days`);
  return sql`(${retention} is not null and ${day}::date < ${today()} - ${retention})`;
}

function today() {
  return sql`(now() at time zone 'UTC')::date`;
}
