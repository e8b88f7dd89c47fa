import { textArray } from "@sightline/foundation/database/array-parameters";
import { sql, type Kysely, type Transaction } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { TRACES } from "#event-columns.ts";
import { ensureDays } from "#store/days.store.ts";
import { groupProjects } from "#store/project-groups.ts";
import type { BatchRows, OfTrace, TraceWrite } from "./batch-rows.ts";
import { BATCH_STATEMENTS } from "./batch-statements.ts";
import { encodeBatch, encodeRows, toTraceKey, run, type EncodedBatch } from "./encoded-batch.ts";

type Query = Transaction<ObservabilitySchema>;
type TraceDay = { readonly project_id: string; readonly id: string; readonly day: string };
type LockedTrace = TraceDay & { readonly is_earlier: boolean };
type WrittenHour = { readonly project_id: string; readonly day: string; readonly hour: string; readonly left_hour: string | null };

/** What of a trace's row changes it. Most traces of a batch have nothing but observations. */
const tracesSay = ["start_event", "end_event", ...Object.keys(TRACES.once), ...Object.keys(TRACES.latest)] as readonly (keyof TraceWrite)[];

/**
 * Writes a batch in one transaction. Writing the same rows again, or rows of the same events in another order or in other batches,
 * ends in the same tables. No statement uses what another part of itself has written: of that Citus sends every node a copy.
 */
export async function writeBatch(query: Kysely<ObservabilitySchema>, rows: BatchRows): Promise<void> {
  const encoded = await encodeBatch(rows);
  const groups = await groupProjects(
    query,
    rows.traces.map((row) => row.project_id),
  );
  const write = () => query.transaction().execute((transaction) => writeRows(transaction, encoded, groups));
  try {
    await write();
  } catch (error) {
    if (!isDayMissing(error)) {
      throw error;
    }
    // Partitions are made ahead, but a missing one must cost no event.
    await ensureDays(query);
    await write();
  }
}

/** @param groups The projects of the traces, those together that one statement may lock. */
async function writeRows(transaction: Query, batch: EncodedBatch, groups: readonly (readonly string[])[]): Promise<void> {
  const { known, written } = await writeTraces(transaction, batch.traces, groups);
  const days = new Map([...known, ...written].map(({ project_id: projectId, id, day }) => [toTraceKey(projectId, id), day]));
  const daysOf = (traces: readonly string[]) => textArray(traces.map((trace) => days.get(trace) ?? null));
  const { observations, scores, unmarked } = batch;
  const counted = await run<WrittenHour>(transaction, observations, daysOf(observations.traces));
  const aside = await findHoursOfAside(transaction, batch.traces);
  await run(transaction, encodeRows(BATCH_STATEMENTS.insertHourMarks, hoursOf([...written, ...counted, ...aside])));
  // A score is given to a trace that may be long over.
  const scored = await run<OfTrace>(transaction, scores);
  const seen = [...known, ...written].map(({ project_id, id }) => ({ project_id, trace_id: id }));
  const marks = distinct([...seen, ...scored], (row) => toTraceKey(row.project_id, row.trace_id));
  await run(transaction, encodeRows(BATCH_STATEMENTS.insertTraceMarks, marks));
  for (const rows of unmarked) {
    await ("traces" in rows ? run(transaction, rows, daysOf(rows.traces)) : run(transaction, rows));
  }
}

/** Steps that came before their trace said that it is not live were counted: the hours of all its steps, to be counted anew. */
async function findHoursOfAside(transaction: Query, traces: readonly TraceWrite[]): Promise<readonly WrittenHour[]> {
  const aside = traces.filter(({ purpose }) => purpose !== undefined);
  const hours: WrittenHour[] = [];
  for (const [projectId, rows] of Map.groupBy(aside, (row) => row.project_id)) {
    const { rows: found } = await sql<WrittenHour>`
      select distinct project_id, day::text as day, hour::text as hour, null as left_hour from observability.observations
      where project_id = ${projectId}::uuid and trace_id = any(${rows.map(({ id }) => id)}::uuid[])`.execute(transaction);
    hours.push(...found);
  }
  return hours;
}

/** The traces come first: whoever has their days may write what belongs to them. */
async function writeTraces(transaction: Query, traces: readonly TraceWrite[], groups: readonly (readonly string[])[]) {
  const known: LockedTrace[] = [];
  for (const projects of groups) {
    const these = groups.length === 1 ? traces : traces.filter((row) => projects.includes(row.project_id));
    const keys = these.map(({ project_id, id, seen_at }) => ({ project_id, id, seen_at }));
    known.push(...(await run<LockedTrace>(transaction, encodeRows(BATCH_STATEMENTS.lockTraces, keys), projects)));
  }
  const unchanged = new Set(known.filter((trace) => !trace.is_earlier).map(({ project_id: projectId, id }) => toTraceKey(projectId, id)));
  const changed = traces.filter(
    (row) => !unchanged.has(toTraceKey(row.project_id, row.id)) || tracesSay.some((column) => (row[column] ?? null) !== null),
  );
  return { known, written: await run<WrittenHour & TraceDay>(transaction, encodeRows(BATCH_STATEMENTS.upsertTraces, changed)) };
}

/** What rows counted for and count for now, which is to be counted anew. */
function hoursOf(rows: readonly WrittenHour[]) {
  const hours = rows.flatMap(({ project_id, day, hour, left_hour }) =>
    [hour, ...(left_hour === null ? [] : [left_hour])].map((of) => ({ project_id, day, hour: of })),
  );
  return distinct(hours, ({ project_id, day, hour }) => `${project_id}|${day}|${hour}`);
}

function distinct<Row>(rows: readonly Row[], nameOf: (row: Row) => string): readonly Row[] {
  return [...new Map(rows.map((row) => [nameOf(row), row])).values()];
}

/** "no partition of relation found for row" is a violated check without the name of a constraint. */
function isDayMissing(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && error.code === "23514" && (!("constraint" in error) || error.constraint === undefined)
  );
}
