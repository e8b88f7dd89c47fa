import { sql, type Transaction } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import type { BatchStatements } from "./batch-statements.ts";
import { withDays, writeRows, type BatchRows, type MarkIds } from "./write-batch.store.ts";

/** A shard that is not where it is written to: moved since, or the server there is another one. The coordinator finds it. */
export class ShardMovedError extends Error {
  constructor(shard: number) {
    super(`shard ${shard} is not on the node`);
    this.name = "ShardMovedError";
  }
}

/** Marks are counted in the order of their numbers, so all of a cluster have them from the coordinator: nodes would number from far apart. */
export async function takeMarkIds(coordinator: Query): Promise<MarkIds> {
  const { rows } = await sql<{ hours: number; traces: number }>`
    select nextval('observability.hourly_marks_id_seq') as hours, nextval('observability.trace_marks_id_seq') as traces`.execute(
    coordinator,
  );
  return { hours: rows[0]?.hours ?? 0, traces: rows[0]?.traces ?? 0 };
}

type Shard = {
  readonly coordinator: Query;
  /** The database on the node that has the shard. */
  readonly node: Query;
  /** The shard of `traces`. */
  readonly shard: number;
  /** For the shard's own tables, with numbered marks. */
  readonly statements: BatchStatements;
  readonly markIds: MarkIds;
};

/**
 * Writes rows of projects of one shard to the shard's own tables, in one transaction of its node alone: as one PostgreSQL does, without the
 * plans of a cluster. No dead letters, whose table is on the coordinator.
 *
 * @throws {ShardMovedError} when the shard is elsewhere; nothing is written then.
 */
export async function writeToShard({ coordinator, node, shard, statements, markIds }: Shard, rows: BatchRows): Promise<void> {
  const projects = [...new Set(rows.traces.map((row) => row.project_id))];
  await withDays(coordinator, () =>
    node.transaction().execute(async (transaction) => {
      await holdShard(transaction, shard);
      await writeRows(transaction, rows, { statements, groups: projects.length === 0 ? [] : [projects], markIds });
    }),
  );
}

/** `ShareLock`, which Citus' own writers take and with which a shard is neither moved nor split. */
const SHARE_LOCK = 5;

/** Keeps the shard where it is until the transaction ends, as Citus itself does for what is written; then, with a new snapshot, looks whether it is here. */
async function holdShard(transaction: Transaction<ObservabilitySchema>, shard: number): Promise<void> {
  await sql`select set_config('citus.enable_manual_changes_to_shards', 'on', true), lock_shard_metadata(${SHARE_LOCK}, array[${shard}::bigint])`.execute(
    transaction,
  );
  const { rows } = await sql<{ is_here: boolean }>`
    select groupid = (select groupid from pg_catalog.pg_dist_local_group) as is_here
    from pg_catalog.pg_dist_placement where shardid = ${shard}`.execute(transaction);
  if (rows.length !== 1 || rows[0]?.is_here !== true) {
    throw new ShardMovedError(shard);
  }
}
