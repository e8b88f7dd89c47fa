import { textArray, textOfValue, type ParameterValue } from "@sightline/foundation/database/array-parameters";
import { CompiledQuery, type Kysely, type Transaction } from "kysely";
import { MASKED } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import {
  TRACES,
  type BLOBS,
  type DEAD_LETTERS,
  type GRAPHS,
  type OBSERVATIONS,
  type PAYLOADS,
  type PRODUCERS,
  type SCORES,
  type WriteOf,
} from "#event-columns.ts";
import { ensureDays } from "#store/days.store.ts";
import { groupProjects } from "#store/project-groups.ts";
import { batchStatements, type BatchStatements, type RowsStatement } from "./batch-statements.ts";

type Query = Transaction<ObservabilitySchema>;
type OfTrace = { readonly project_id: string; readonly trace_id: string };
type TraceDay = { readonly project_id: string; readonly id: string; readonly day: string };
type HeldTrace = TraceDay & { readonly is_earlier: boolean };
type WrittenHour = { readonly project_id: string; readonly day: string; readonly hour: string; readonly left_hour: string | null };

export type TraceWrite = WriteOf<typeof TRACES>;
export type ObservationWrite = WriteOf<typeof OBSERVATIONS>;
export type PayloadWrite = WriteOf<typeof PAYLOADS>;
export type ProducerWrite = WriteOf<typeof PRODUCERS>;
export type DeadLetterWrite = WriteOf<typeof DEAD_LETTERS>;

/** The rows of a batch. In each list every key occurs once, in the order of the keys, so that two writers never wait for each other crosswise. */
export type BatchRows = {
  readonly traces: readonly TraceWrite[];
  readonly observations: readonly ObservationWrite[];
  readonly payloads: readonly PayloadWrite[];
  readonly blobs: readonly WriteOf<typeof BLOBS>[];
  /** Those that nobody may read any more, whether they are there already or come later. */
  readonly maskedContents?: readonly { readonly project_id: string; readonly sha256: string }[];
  readonly graphs: readonly WriteOf<typeof GRAPHS>[];
  readonly scores: readonly WriteOf<typeof SCORES>[];
  readonly deadLetters: readonly DeadLetterWrite[];
  readonly producers: readonly ProducerWrite[];
};

/** Where the tables are called what the migrations call them. */
const statements = batchStatements((table) => table, { areMarksNumbered: false });

/** What of a trace's row changes it. Most traces of a batch have nothing but observations. */
const tracesSay = ["start_event", "end_event", ...Object.keys(TRACES.once), ...Object.keys(TRACES.latest)] as readonly (keyof TraceWrite)[];

/**
 * Writes a batch in one transaction. Writing the same rows again, or rows of the same events in another order or in other batches,
 * ends in the same tables. No statement uses what another part of itself has written: of that Citus sends every node a copy, and a node
 * that is away would stop all writing.
 */
export async function writeBatch(query: Kysely<ObservabilitySchema>, rows: BatchRows): Promise<void> {
  await withDays(query, async () => {
    const groups = await groupProjects(
      query,
      rows.traces.map((row) => row.project_id),
    );
    await query.transaction().execute((transaction) => writeRows(transaction, rows, { statements, groups }));
  });
}

/** Partitions are made ahead, but a missing one must cost no event: it is made with `query`, and `write` is called again. */
export async function withDays(query: Kysely<ObservabilitySchema>, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isDayMissing(error)) {
      throw error;
    }
    await ensureDays(query);
    await write();
  }
}

type Writing = {
  readonly statements: BatchStatements;
  /** The projects of the traces, those together that one statement may lock. */
  readonly groups: readonly (readonly string[])[];
  /** What marks get as `id`, where the statements say that they have one. */
  readonly markIds?: MarkIds;
};

/** Positions in the order in which marks are counted, one for all marks of a batch in each of the two tables. */
export type MarkIds = { readonly hours: number; readonly traces: number };

export async function writeRows(transaction: Query, rows: BatchRows, { statements: own, groups, markIds }: Writing): Promise<void> {
  const { known, written } = await writeTraces(transaction, rows.traces, { statements: own, groups });
  const days = new Map([...known, ...written].map(({ project_id: projectId, id, day }) => [keyOf(projectId, id), day]));
  // Told in place: they are made for this, and copying their many columns took a tenth of the time.
  const ofDay = <Row extends OfTrace>(row: Row) => Object.assign(row, { day: days.get(keyOf(row.project_id, row.trace_id)) });
  const { observations, payloads, scores, maskedContents = [], ...others } = rows;
  const counted = await run<WrittenHour>(transaction, own.upsertObservations, observations.map(ofDay));
  await run(
    transaction,
    own.insertHourMarks,
    hoursOf([...written, ...counted]).map((mark) => ({ ...mark, id: markIds?.hours })),
  );
  // A score is given to a trace that may be long over.
  const scored = await run<OfTrace>(transaction, own.insertScores, scores);
  const seen = [...known, ...written].map(({ project_id, id }) => ({ project_id, trace_id: id }));
  const marked = distinct([...seen, ...scored], (row) => keyOf(row.project_id, row.trace_id));
  await run(
    transaction,
    own.insertTraceMarks,
    marked.map(({ project_id, trace_id }) => ({ project_id, trace_id, id: markIds?.traces })),
  );
  const given = { ...others, maskedContents: maskedContentRows(maskedContents), payloads: payloads.map(ofDay) };
  for (const { name, statement } of own.unmarked) {
    await run(transaction, statement, given[name]);
  }
}

/** The traces come first: whoever has their days may write what belongs to them. */
async function writeTraces(transaction: Query, traces: readonly TraceWrite[], { statements: own, groups }: Writing) {
  const known: HeldTrace[] = [];
  for (const projects of groups) {
    const these = groups.length === 1 ? traces : traces.filter((row) => projects.includes(row.project_id));
    const keys = these.map(({ project_id, id, seen_at }) => ({ project_id, id, seen_at }));
    known.push(...(await run<HeldTrace>(transaction, own.holdTraces, keys, projects)));
  }
  const unchanged = new Set(known.filter((trace) => !trace.is_earlier).map(({ project_id: projectId, id }) => keyOf(projectId, id)));
  const changed = traces.filter(
    (row) => !unchanged.has(keyOf(row.project_id, row.id)) || tracesSay.some((column) => (row[column] ?? null) !== null),
  );
  return { known, written: await run<WrittenHour & TraceDay>(transaction, own.upsertTraces, changed) };
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

/** Each row once and in the order of the keys, like all rows. */
function maskedContentRows(contents: NonNullable<BatchRows["maskedContents"]>) {
  const rows = new Map(contents.map((row) => [keyOf(row.project_id, row.sha256), { ...row, content: MASKED }]));
  return [...rows].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
}

function keyOf(projectId: string, traceId: string): string {
  return `${projectId}|${traceId}`;
}

async function run<Row>(
  transaction: Query,
  { text, columns }: RowsStatement,
  rows: readonly object[],
  ...others: readonly unknown[]
): Promise<readonly Row[]> {
  if (rows.length === 0) {
    return [];
  }
  const arrays = Object.entries(columns).map(([name, { type }]) => textArray(rows.map((row) => textOfColumn(row, name, type))));
  const result = await transaction.executeQuery<Row>(CompiledQuery.raw(text, [...arrays, ...others]));
  return result.rows;
}

function textOfColumn(row: object, name: string, type: string): string | null {
  const value = (row as Readonly<Record<string, unknown>>)[name];
  return type === "json" && value !== undefined && value !== null ? JSON.stringify(value) : textOfValue(value as ParameterValue);
}

/** "no partition of relation found for row" is a violated check without the name of a constraint. */
function isDayMissing(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && error.code === "23514" && (!("constraint" in error) || error.constraint === undefined)
  );
}
