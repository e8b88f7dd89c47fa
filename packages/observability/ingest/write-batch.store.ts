import { CompiledQuery, type Kysely, type Transaction } from "kysely";
import { MASKED } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { upserts, upsertTraceRows, type BatchRows } from "./batch-rows.ts";
import { ensureDays } from "#store/days.store.ts";

type Query = Transaction<ObservabilitySchema>;
type OfTrace = { readonly project_id: string; readonly trace_id: string };
type TraceDay = { readonly project_id: string; readonly id: string; readonly day: string };

/**
 * Writes a batch in one transaction, one statement per table. Writing the same rows again, or rows of the same events
 * in another order or in other batches, ends in the same tables.
 */
export async function writeBatch(query: Kysely<ObservabilitySchema>, rows: BatchRows): Promise<void> {
  try {
    await writeOnce(query, rows);
  } catch (error) {
    if (!isDayMissing(error)) {
      throw error;
    }
    // Days are made ahead, but never having made them must cost no event.
    await ensureDays(query);
    await writeOnce(query, rows);
  }
}

async function writeOnce(query: Kysely<ObservabilitySchema>, rows: BatchRows): Promise<void> {
  await query.transaction().execute(async (transaction) => {
    const traces = await run<TraceDay>(transaction, upsertTraceRows, rows.traces);
    const days = new Map(traces.map(({ project_id: projectId, id, day }) => [keyOf(projectId, id), day]));
    const ofDay = <Row extends OfTrace>(row: Row) => ({ ...row, day: days.get(keyOf(row.project_id, row.trace_id)) });
    const { observations, payloads, maskedContents = [], ...others } = rows;
    const given = {
      ...others,
      maskedContents: maskedContentRows(maskedContents),
      observations: observations.map(ofDay),
      payloads: payloads.map(ofDay),
    };
    for (const { name, statement } of upserts) {
      await run(transaction, statement, given[name]);
    }
  });
}

/** Each once and in the order of the keys, as all rows. */
function maskedContentRows(contents: NonNullable<BatchRows["maskedContents"]>) {
  const rows = new Map(contents.map((row) => [keyOf(row.project_id, row.sha256), { ...row, content: MASKED }]));
  return [...rows].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
}

function keyOf(projectId: string, traceId: string): string {
  return `${projectId}|${traceId}`;
}

async function run<Row>(transaction: Query, statement: string, rows: readonly object[]): Promise<readonly Row[]> {
  if (rows.length === 0) {
    return [];
  }
  const result = await transaction.executeQuery<Row>(CompiledQuery.raw(statement, [JSON.stringify(rows)]));
  return result.rows;
}

/** "no partition of relation found for row" is a violated check without the name of a constraint. */
function isDayMissing(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && error.code === "23514" && (!("constraint" in error) || error.constraint === undefined)
  );
}
