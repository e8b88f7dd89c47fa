import { setImmediate as nextTurn } from "node:timers/promises";
import { textArray, textOfValue, type ParameterValue } from "@sightline/foundation/database/array-parameters";
import { CompiledQuery, type Transaction } from "kysely";
import { MASKED } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import type { BatchRows, OfTrace, TraceWrite } from "./batch-rows.ts";
import { BATCH_STATEMENTS, type RowsStatement } from "./batch-statements.ts";
import { toTextMarks } from "./text-marks.ts";

/** A statement and its rows as PostgreSQL is given them: an array for each column. */
export type EncodedRows = { readonly statement: RowsStatement; readonly count: number; readonly arrays: readonly Buffer[] };

/** Rows of which only the last column is missing, the day of their traces. `traces` has the keys of those, a key for each row. */
export type RowsWithoutPartition = EncodedRows & { readonly traces: readonly string[] };

/** A batch of which all is encoded but the rows of its traces: which of those are written is decided by what is there. */
export type EncodedBatch = {
  readonly traces: readonly TraceWrite[];
  readonly observations: RowsWithoutPartition;
  readonly scores: EncodedRows;
  /** Rows in the order in which they are to be written. */
  readonly unmarked: readonly (EncodedRows | RowsWithoutPartition)[];
};

/**
 * Encodes a batch before its transaction begins, and so before it has any lock: encoding takes nearly as long as PostgreSQL takes to write, and
 * the next batch of a trace waits for the one before it. Others have the event loop now and then, for one of them may wait to commit.
 */
export async function encodeBatch(rows: BatchRows): Promise<EncodedBatch> {
  const observations = encodeWithoutPartition(BATCH_STATEMENTS.upsertObservations, rows.observations);
  const given = { ...rows, textMarks: toTextMarks(rows), maskedContents: maskedContentRows(rows.maskedContents ?? []) };
  const unmarked: (EncodedRows | RowsWithoutPartition)[] = [];
  for (const { name, statement } of BATCH_STATEMENTS.unmarked) {
    await nextTurn();
    unmarked.push(name === "payloads" ? encodeWithoutPartition(statement, rows.payloads) : encodeRows(statement, given[name]));
  }
  return { traces: rows.traces, observations, scores: encodeRows(BATCH_STATEMENTS.insertScores, rows.scores), unmarked };
}

export function encodeRows(statement: RowsStatement, rows: readonly object[]): EncodedRows {
  const columns = Object.entries(statement.columns);
  const arrays = columns.map(([name, { type }]) => textArray(rows.map((row) => textOfColumn(row, name, type))));
  return { statement, count: rows.length, arrays };
}

/** Runs the statement, unless it has no rows. `others` are its parameters after those of the rows. */
export async function run<Row>(
  transaction: Transaction<ObservabilitySchema>,
  { statement, count, arrays }: EncodedRows,
  ...others: readonly unknown[]
): Promise<readonly Row[]> {
  if (count === 0) {
    return [];
  }
  const result = await transaction.executeQuery<Row>(CompiledQuery.raw(statement.text, [...arrays, ...others]));
  return result.rows;
}

export function toTraceKey(projectId: string, traceId: string): string {
  return `${projectId}|${traceId}`;
}

function encodeWithoutPartition({ text, columns }: RowsStatement, rows: readonly OfTrace[]): RowsWithoutPartition {
  const { day: _day, ...known } = columns;
  return { ...encodeRows({ text, columns: known }, rows), traces: rows.map((row) => toTraceKey(row.project_id, row.trace_id)) };
}

/** Each row once and in the order of the keys, like all rows. */
function maskedContentRows(contents: NonNullable<BatchRows["maskedContents"]>) {
  const rows = new Map(contents.map((row) => [toTraceKey(row.project_id, row.sha256), { ...row, content: MASKED }]));
  return [...rows].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
}

function textOfColumn(row: object, name: string, type: string): string | null {
  const value = (row as Readonly<Record<string, unknown>>)[name];
  return type === "json" && value !== undefined && value !== null ? JSON.stringify(value) : textOfValue(value as ParameterValue);
}
