import type { Queries } from "#schema.ts";
import type { StoredRow } from "./chain.ts";

export type ChainHead = { readonly lastId: number; readonly rows: number; readonly hash: Buffer };

type ChainPart = {
  /** Undefined when somebody has deleted the row. */
  readonly head: ChainHead | undefined;
  readonly rows: readonly StoredRow[];
};

/** Reads the next rows, and the end of the chain as it was at the same moment. */
export async function readChain(queries: Queries, afterId: number, limit: number): Promise<ChainPart> {
  return queries
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (transaction) => ({
      head: await transaction.selectFrom("identity.audit_head").select(["last_id as lastId", "rows", "hash"]).executeTakeFirst(),
      rows: await transaction.selectFrom("identity.audit").selectAll().where("id", ">", afterId).orderBy("id").limit(limit).execute(),
    }));
}

export type AuditTimes = { readonly from?: Date | undefined; readonly to?: Date | undefined };

/** Rows of a time, oldest first. */
export async function readRows(queries: Queries, afterId: number, { from, to }: AuditTimes, limit: number): Promise<readonly StoredRow[]> {
  return queries
    .selectFrom("identity.audit")
    .selectAll()
    .where("id", ">", afterId)
    .$if(from !== undefined, (query) => query.where("at", ">=", from ?? new Date(0)))
    .$if(to !== undefined, (query) => query.where("at", "<", to ?? new Date(0)))
    .orderBy("id")
    .limit(limit)
    .execute();
}
