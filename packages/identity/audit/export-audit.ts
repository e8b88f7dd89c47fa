import type { Queries } from "#schema.ts";
import { readRows, type AuditTimes } from "./audit-chain.store.ts";
import type { StoredRow } from "./chain.ts";
import { findEntries, type AuditFilter } from "./audit-entries.store.ts";
import { describeEntry } from "./list-audit.ts";

const BATCH = 1000;

/**
 * The whole audit as JSON, one row a line, oldest first, with the hashes: the chain can be recomputed elsewhere. Reads
 * on as fast as it is read from, and ends with the row that is the last one when it gets there.
 */
export async function* exportChain(queries: Queries, times: AuditTimes): AsyncGenerator<string, void, undefined> {
  const read = (afterId: number | undefined) => readRows(queries, afterId, times, BATCH);
  for await (const row of inBatches(read)) {
    yield `${JSON.stringify({ ...row, hash: row.hash?.toString("hex") ?? null } satisfies Record<keyof StoredRow, unknown>)}\n`;
  }
}

/**
 * Streams the entries that match the filter, one a line, oldest first; without hashes, whose chain runs through rows of
 * other tenants too.
 */
export async function* exportEntries(queries: Queries, filter: AuditFilter): AsyncGenerator<string, void, undefined> {
  for await (const row of inBatches((afterId) => findEntries(queries, filter, { afterId, limit: BATCH }))) {
    yield `${JSON.stringify(describeEntry(row))}\n`;
  }
}

async function* inBatches<Row extends { readonly id: number }>(
  read: (afterId: number | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<Row, void, undefined> {
  let afterId: number | undefined;
  for (;;) {
    const rows = await read(afterId);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) {
      return;
    }
    afterId = last.id;
  }
}
