import { sql, type RawBuilder } from "kysely";
import { MAX_QUEUE_TRACES, MAX_QUEUES, type AnnotationQueue } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject, type OneInProject } from "#store/reader.ts";
import { queueFull } from "./annotation.errors.ts";

type Progress = Pick<AnnotationQueue, "traces" | "done" | "disputed" | "for_you">;
export type QueueRow = Omit<AnnotationQueue, "created_at" | keyof Progress> & { readonly created_at: Date };
export const NO_PROGRESS: Progress = { traces: 0, done: 0, disputed: 0, for_you: 0 };

/** @returns false when the name is taken, or there are {@link MAX_QUEUES}. */
export async function insertQueue(query: Query, { projectId, reader, ...row }: InProject & Omit<QueueRow, "created_at">): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into observability.annotation_queues (id, project_id, name, rubric, scores, annotators, dataset_id, created_by)
    select ${row.id}::uuid, ${projectId}::uuid, ${row.name}::text, ${row.rubric}::text, ${row.scores}::text[], ${row.annotators}::int,
      ${row.dataset_id}::uuid, ${row.created_by}::text
    where ${hasRoleIn(reader, "editor", projectId)}
      and (select count(*) from observability.annotation_queues where project_id = ${projectId}::uuid) < ${MAX_QUEUES}
    on conflict (project_id, name) do nothing`.execute(query);
  return numAffectedRows > 0n;
}

/** By name; one of them, where its id is given. */
export async function listQueues(query: Query, { projectId, reader, id }: InProject & { readonly id?: string }) {
  const { rows } = await sql<QueueRow>`
    select id, name, rubric, scores, annotators, dataset_id, created_by, created_at from observability.annotation_queues
    where project_id = ${projectId}::uuid and (${id ?? null}::uuid is null or id = ${id ?? null}::uuid)
      and ${hasRoleIn(reader, "viewer", projectId)}
    order by name`.execute(query);
  return rows;
}

/** By queue, of those that have traces. `annotator`: whom it is told. */
export async function countProgress(query: Query, { projectId, reader }: InProject, annotator: string) {
  const { rows } = await sql<Progress & { queue_id: string }>`
    select queue_id, count(*)::int as traces, count(*) filter (where not is_open)::int as done,
      count(*) filter (where is_disputed)::int as disputed, count(*) filter (where is_open and not is_mine)::int as for_you
    from (
      select queue_id, bool_or(state = 'waiting') as is_open, bool_or(is_disputed) and not bool_or(state = 'resolved') as is_disputed,
        bool_or(state <> 'waiting' and annotator = ${annotator}::text) is true as is_mine
      from observability.annotations where project_id = ${projectId}::uuid and ${hasRoleIn(reader, "viewer", projectId)}
      group by queue_id, trace_id
    ) as trace group by queue_id`.execute(query);
  return new Map(rows.map(({ queue_id: id, ...progress }) => [id, progress]));
}

/** The newest attempts of an experiment's runs, as {@link addTraces} takes traces. */
export const tracesOfExperiment = (projectId: string, id: string) => sql`(
  select trace_id, row_number() over (order by item_id, repetition) as place from observability.experiment_runs
  where project_id = ${projectId}::uuid and experiment_id = ${id}::uuid and is_newest and trace_id is not null
) as given`;
export const tracesOfIds = (ids: readonly string[]) => sql`unnest(${ids}::uuid[]) with ordinality as given (trace_id, place)`;

/** Adds traces in their order, each with as many slots as people are asked; those that the queue has, or that are not there, are left out. */
export async function addTraces(query: Query, queue: OneInProject, annotators: number, traces: RawBuilder<unknown>): Promise<number> {
  const { projectId, reader, id } = queue;
  const isOfQueue = sql`known.project_id = ${projectId}::uuid and known.queue_id = ${id}::uuid`;
  return query.transaction().execute(async (transaction) => {
    // Held, so that two who add at once don't add too many.
    await sql`select from observability.annotation_queues where project_id = ${projectId}::uuid and id = ${id}::uuid for update`.execute(
      transaction,
    );
    const { numAffectedRows: slots = 0n } = await sql`
      insert into observability.annotations (project_id, queue_id, trace_id, slot, place)
      select trace.project_id, ${id}::uuid, trace.id, slot,
        chosen.place + (select coalesce(max(known.place), 0) from observability.annotations as known where ${isOfQueue})
      from (select trace_id, min(place)::int as place from ${traces} group by trace_id) as chosen
      join observability.traces as trace on trace.project_id = ${projectId}::uuid and trace.id = chosen.trace_id
      cross join generate_series(1, ${annotators}::int) as slot
      where ${hasRoleIn(reader, "editor", projectId)}
        and not exists (select from observability.annotations as known where ${isOfQueue} and known.trace_id = chosen.trace_id)`.execute(
      transaction,
    );
    const { rows } = await sql<{ traces: number }>`
      select count(distinct trace_id)::int as traces from observability.annotations as known where ${isOfQueue}`.execute(transaction);
    if ((rows[0]?.traces ?? 0) > MAX_QUEUE_TRACES) {
      throw queueFull();
    }
    return Number(slots) / annotators;
  });
}

/** Deletes a queue with all that waits in it; scores of traces that are done stay. @returns whether there was such a queue. */
export async function deleteQueue(query: Query, { projectId, reader, id }: OneInProject): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    const { numAffectedRows = 0n } = await sql`
      delete from observability.annotation_queues
      where project_id = ${projectId}::uuid and id = ${id}::uuid and ${hasRoleIn(reader, "editor", projectId)}`.execute(transaction);
    await sql`
      delete from observability.annotations
      where project_id = ${projectId}::uuid and queue_id = ${id}::uuid and ${hasRoleIn(reader, "editor", projectId)}`.execute(transaction);
    return numAffectedRows > 0n;
  });
}
