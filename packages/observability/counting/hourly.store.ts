import type { Clock } from "@sightline/foundation/clock";
import { lockKey } from "@sightline/foundation/database/advisory-lock";
import type { EachOwner } from "@sightline/foundation/each-owner";
import { sql, type Transaction } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { countCodeOfHour } from "./code-hours.store.ts";
import { countFiguresOfHour, type ProjectHour } from "./hour-figures.store.ts";
import { setHourAside, type SetAside } from "./uncounted-hours.store.ts";

/** How many marks of a project are read, and how many of its hours counted, in one round. */
const MARKS = 20_000;
const HOURS = 50;

export type HourCounting = {
  readonly clock: Clock;
  /** Contains what fails for a project as a whole; what fails for one of its hours is set aside. */
  readonly eachProject: EachOwner;
  readonly onSetAside: (hour: ProjectHour, setAside: SetAside) => void;
};

/**
 * Counts some of the marked hours of each project anew, each in a transaction of its own. All projects take turns, an hour each, so that one with many
 * hours, or with hours that take long or can't be counted, holds up no other by more than one of them.
 *
 * @returns whether there may be more; what is marked while it counts is left to the next time, and what another process counts is left to that.
 */
export async function countMarkedHours(query: Query, counting: HourCounting, signal?: AbortSignal): Promise<boolean> {
  const { clock, eachProject } = counting;
  const { rows: projects } = await sql<{ id: string }>`
    select project_id as id from observability.hourly_marks group by project_id
    union
    select project_id from observability.uncounted_hours where next_try_at <= ${clock.now()}`.execute(query);
  const waiting: { readonly id: string; readonly hours: readonly ProjectHour[] }[] = [];
  await eachProject(projects, {
    idOf: ({ id }) => `marks of ${id}`,
    work: async ({ id }) => waiting.push({ id, hours: await listWaitingHours(query, id, clock.now()) }),
    signal,
  });
  const worked = new Set<string>();
  const work = async (hour: ProjectHour) => {
    if (await countOrSetAside(query, hour, counting)) {
      worked.add(hour.projectId);
    }
  };
  for (let turn = 0; turn < HOURS; turn += 1) {
    await eachProject(
      waiting.flatMap(({ hours }) => hours.slice(turn, turn + 1)),
      { idOf: ({ projectId }) => projectId, work, signal },
    );
  }
  return waiting.some(({ id, hours }) => hours.length === HOURS && worked.has(id));
}

/** Lists those first that were marked first; those that could not be counted before come last. */
async function listWaitingHours(query: Query, projectId: string, now: Date): Promise<readonly ProjectHour[]> {
  const { rows } = await sql<Omit<ProjectHour, "projectId">>`
    select day::text as day, hour::text as hour from (
      select day, hour, min(id) as first from (
        select day, hour, id from observability.hourly_marks where project_id = ${projectId}::uuid order by id limit ${MARKS}
      ) as mark group by day, hour
      union all
      select day, hour, null from observability.uncounted_hours where project_id = ${projectId}::uuid and next_try_at <= ${now}
    ) as waiting group by day, hour order by min(first) nulls last, day, hour limit ${HOURS}`.execute(query);
  return rows.map((row) => ({ projectId, ...row }));
}

/** @returns false when another process counts hours of the project. */
async function countOrSetAside(query: Query, hour: ProjectHour, { clock, onSetAside }: HourCounting): Promise<boolean> {
  try {
    return await countHour(query, hour, clock.now());
  } catch (error) {
    // Whatever keeps even that from being written is no fault of the hour.
    const setAside = await setHourAside(query, hour, { error, now: clock.now() }).catch(() => {
      throw error;
    });
    onSetAside(hour, setAside);
    return true;
  }
}

async function countHour(query: Query, hour: ProjectHour, now: Date): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    if (!(await lockHours(transaction, hour.projectId))) {
      return false;
    }
    if (await takeHour(transaction, hour, now)) {
      await countFiguresOfHour(transaction, hour);
      await countCodeOfHour(transaction, hour);
    }
    return true;
  });
}

/**
 * Locks the hours of a project until the transaction ends, so that no older count replaces a newer one; false when another process is at it. Asked of
 * the project's rows, as in lockCounting.
 *
 * Nothing tells a plan how many steps an hour has: one that takes them for few sorts them all, to disk, where it could have hashed them; and JIT
 * compilation would take longer than the hour of most projects.
 */
async function lockHours(transaction: Transaction<ObservabilitySchema>, projectId: string): Promise<boolean> {
  const { rows } = await sql<{ is_mine: boolean }>`
    select pg_try_advisory_xact_lock(${lockKey("observability.hours", projectId)}) as is_mine, set_config('enable_sort', 'off', true),
      set_config('enable_incremental_sort', 'off', true), set_config('jit', 'off', true)
    from (select count(*) from observability.repricings where project_id = ${projectId}::uuid) as there`.execute(transaction);
  return rows[0]?.is_mine === true;
}

/**
 * Takes the hour's marks. One that is set aside has a row that stands for them until its next try is due.
 *
 * @returns whether it is to be counted: the rows of expired traces may be gone already, and their figures stay as they are.
 */
async function takeHour(transaction: Transaction<ObservabilitySchema>, { projectId, day, hour }: ProjectHour, now: Date): Promise<boolean> {
  const isOfHour = sql`project_id = ${projectId}::uuid and day = ${day}::date and hour = ${hour}::timestamptz`;
  const { rows } = await sql<{ is_due: boolean; is_kept: boolean }>`
    with taken as (
      delete from observability.hourly_marks where ${isOfHour} returning id
    ), tried as (
      delete from observability.uncounted_hours where ${isOfHour} and next_try_at <= ${now} returning failures
    )
    select (exists (select from taken) or exists (select from tried)) and not exists (
        select from observability.uncounted_hours where ${isOfHour} and next_try_at > ${now}
      ) as is_due,
      exists (
        select from observability.projects as project where project.id = ${projectId}::uuid and (
          project.retention_days is null or ${day}::date >= (now() at time zone 'UTC')::date - project.retention_days
        )
      ) as is_kept`.execute(transaction);
  return rows[0]?.is_due === true && rows[0].is_kept;
}
