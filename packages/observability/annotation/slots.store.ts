import { sql, type RawBuilder } from "kysely";
import { toEventId } from "#identifiers.ts";
import { LEASE_MINUTES, type AnnotatedTrace, type Label } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type OneInProject } from "#store/reader.ts";

/*
 * A trace has as many slots as people are asked, and whoever has none labels nothing:
 *
 *   (added) ──▶ waiting ──(somebody takes it, for as long as the lease)──▶ waiting, theirs ──▶ labelled · skipped
 *                  ▲                                                            │
 *                  └────────(the lease ended, and somebody else takes it)───────┘
 *
 * A trace is done when none of its slots waits: then, and not before, its labels become scores, so that nobody reads those of others while labelling.
 * Whoever resolves labels that differ adds the slot 0.
 */

export type OfTrace = OneInProject & { readonly traceId: string };
export type Slot = {
  readonly trace_id: string;
  readonly slot: number;
  readonly place: number;
  readonly state: "waiting" | AnnotatedTrace["annotations"][number]["state"];
  readonly annotator: string | null;
  readonly labels: readonly Label[];
  readonly reason: string | null;
};

/** Gives a person the trace that they hold, or else the first that waits for anybody; in one statement, so that no two get one slot. */
export async function claimSlot(query: Query, { projectId, reader, id }: OneInProject, annotator: string): Promise<string | undefined> {
  const isWaiting = sql`slot.project_id = ${projectId}::uuid and slot.queue_id = ${id}::uuid and slot.state = 'waiting'`;
  const claim = () =>
    sql<{ trace_id: string }>`
      with chosen as materialized (
        select slot.trace_id, slot.slot from observability.annotations as slot
        where ${isWaiting} and ${hasRoleIn(reader, "editor", projectId)} and (
          slot.annotator = ${annotator}::text or ((slot.annotator is null or slot.leased_until < now()) and not exists (
            select from observability.annotations as own
            where own.project_id = ${projectId}::uuid and own.queue_id = ${id}::uuid and own.trace_id = slot.trace_id
              and own.annotator = ${annotator}::text
          ))
        )
        order by slot.annotator is distinct from ${annotator}::text, slot.place, slot.slot limit 1 for update skip locked
      )
      update observability.annotations as slot
      set annotator = ${annotator}::text, leased_until = now() + ${LEASE_MINUTES} * interval '1 minute'
      from chosen where ${isWaiting} and slot.trace_id = chosen.trace_id and slot.slot = chosen.slot
      returning slot.trace_id`.execute(query);
  // Two tabs of one person may choose two slots of one trace, of which the index lets one pass; the other then finds what is held.
  const { rows } = await claim().catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "23505") {
      return claim();
    }
    throw error;
  });
  return rows[0]?.trace_id;
}

/** All slots of a trace that is there, which nobody else changes until the transaction ends. */
export async function lockSlots(transaction: Query, { projectId, reader, id, traceId }: OfTrace): Promise<readonly Slot[]> {
  // Whoever deletes a trace holds it first, too.
  const { rows } = await sql`
    select from observability.traces
    where project_id = ${projectId}::uuid and id = ${traceId}::uuid and ${hasRoleIn(reader, "editor", projectId)} for key share`.execute(
    transaction,
  );
  const isOfTrace = sql`trace_id = ${traceId}::uuid order by slot for update`;
  return rows.length === 0 ? [] : selectSlots(transaction, { projectId, reader, id }, isOfTrace);
}

async function selectSlots(query: Query, { projectId, reader, id }: OneInProject, rest: RawBuilder<unknown>): Promise<readonly Slot[]> {
  const { rows } = await sql<Slot>`
    select trace_id, slot, place, state, annotator, labels, reason from observability.annotations
    where project_id = ${projectId}::uuid and queue_id = ${id}::uuid and ${hasRoleIn(reader, "viewer", projectId)} and ${rest}`.execute(
    query,
  );
  return rows;
}

export async function putSlot(transaction: Query, { projectId, id }: OneInProject, row: Slot): Promise<void> {
  await sql`
    insert into observability.annotations as slot (project_id, queue_id, trace_id, slot, place, state, annotator, labels, reason)
    values (${projectId}::uuid, ${id}::uuid, ${row.trace_id}::uuid, ${row.slot}::int, ${row.place}::int, ${row.state}::text, ${row.annotator}::text,
      ${JSON.stringify(row.labels)}::json, ${row.reason}::text)
    on conflict (project_id, queue_id, trace_id, slot) do update
      set state = excluded.state, annotator = excluded.annotator, labels = excluded.labels, reason = excluded.reason`.execute(transaction);
}

/** Makes scores of what was said of a trace, in place of those that were made of it before. */
export async function publishLabels(
  transaction: Query,
  { projectId, id, traceId }: OfTrace,
  slots: readonly Slot[],
  isDisputed: boolean,
): Promise<void> {
  const scores = slots.flatMap(({ slot, annotator, state, labels }) =>
    labels.map((label) => ({
      ...label,
      event_id: toEventId(projectId, `label ${id} ${slot} ${label.name}`, traceId),
      author: annotator,
      is_resolution: state === "resolved",
    })),
  );
  const isOfTrace = sql`project_id = ${projectId}::uuid and trace_id = ${traceId}::uuid and queue_id = ${id}::uuid`;
  await sql`update observability.annotations set is_disputed = ${isDisputed}::boolean where ${isOfTrace}`.execute(transaction);
  await sql`delete from observability.scores where ${isOfTrace}`.execute(transaction);
  await sql`
    insert into observability.scores (project_id, trace_id, event_id, name, data_type, value, text_value, comment, source, author, queue_id,
      is_resolution, scored_at)
    select ${projectId}::uuid, ${traceId}::uuid, given.event_id, given.name, given.data_type, given.value, given.text_value, given.comment, 'person',
      given.author, ${id}::uuid, given.is_resolution, now()
    from json_to_recordset(${JSON.stringify(scores)}::json) as given (event_id uuid, name text, data_type text, value double precision,
      text_value text, comment text, author text, is_resolution boolean)`.execute(transaction);
  await sql`insert into observability.trace_marks (project_id, trace_id) values (${projectId}::uuid, ${traceId}::uuid)`.execute(
    transaction,
  );
}

type Listing = OneInProject & { readonly isDisputed: boolean; readonly after: number; readonly limit: number };

/** The slots of some traces, in the order of the queue. */
export async function listSlots(query: Query, { isDisputed, after, limit, ...queue }: Listing): Promise<readonly (readonly Slot[])[]> {
  const slots = await selectSlots(
    query,
    queue,
    sql`trace_id in (
      select trace_id from observability.annotations
      where project_id = ${queue.projectId}::uuid and queue_id = ${queue.id}::uuid and place > ${after}::int
      group by trace_id, place having ${isDisputed ? sql`bool_or(is_disputed) and not bool_or(state = 'resolved')` : sql`true`}
      order by place limit ${limit}
    ) order by place, slot`,
  );
  return [...Map.groupBy(slots, (slot) => slot.trace_id).values()];
}

/** The slots of traces that are done in which people gave labels, in one order of people. */
export async function listLabelled(query: Query, queue: OneInProject): Promise<readonly Slot[]> {
  const isOpen = sql`select trace_id from observability.annotations
    where project_id = ${queue.projectId}::uuid and queue_id = ${queue.id}::uuid and state = 'waiting'`;
  return selectSlots(query, queue, sql`state = 'labelled' and trace_id not in (${isOpen}) order by trace_id, annotator`);
}
