import { sql } from "kysely";
import type { Query } from "#schema.ts";
import type { Shard } from "#store/nodes/shard-query.ts";
import { batchStatements, type BatchStatements } from "./batch-statements.ts";
import { encodeBatch } from "./encoded-batch.ts";
import type { BatchRows } from "./batch-rows.ts";
import { withDays, writeRows, type MarkIds } from "./write-batch.store.ts";

/** Marks are counted in the order of their numbers, so all of a cluster have them from the coordinator: nodes would number from far apart. */
export async function takeMarkIds(coordinator: Query): Promise<MarkIds> {
  const { rows } = await sql<{ hours: number; traces: number }>`
    select nextval('observability.hourly_marks_id_seq') as hours, nextval('observability.trace_marks_id_seq') as traces`.execute(
    coordinator,
  );
  return { hours: rows[0]?.hours ?? 0, traces: rows[0]?.traces ?? 0 };
}

const statements = new WeakMap<Shard, BatchStatements>();

type Writing = {
  /** Makes days that are missing. */
  readonly coordinator: Query;
  readonly shard: Shard;
  readonly markIds: MarkIds;
};

/**
 * Writes rows of projects of one shard to the shard's own tables, in one transaction of its node alone: as one PostgreSQL does, without the
 * plans of a cluster. No dead letters, whose table is on the coordinator.
 *
 * @throws {ShardMovedError} when the shard is elsewhere; nothing is written then.
 */
export async function writeToShard({ coordinator, shard, markIds }: Writing, rows: BatchRows): Promise<void> {
  const projects = [...new Set(rows.traces.map((row) => row.project_id))];
  const own = statements.get(shard) ?? batchStatements(shard.nameOf, { areMarksNumbered: true });
  statements.set(shard, own);
  const encoded = await encodeBatch(rows, own);
  await withDays(coordinator, () =>
    shard.query
      .transaction()
      .execute((transaction) =>
        writeRows(transaction, encoded, { statements: own, groups: projects.length === 0 ? [] : [projects], markIds }),
      ),
  );
}
