import type { Queries } from "#schema.ts";
import type { StoredRow } from "./chain.ts";

export type ChainHead = { readonly lastId: number; readonly rows: number; readonly hash: Buffer };

type ChainPart = {
  /** Undefined when somebody has deleted the row. */
  readonly head: ChainHead | undefined;
  readonly rows: readonly StoredRow[];
};

/** The end of the chain. */
export async function readHead(queries: Queries): Promise<ChainHead | undefined> {
  return queries.selectFrom("identity.audit_head").select(["last_id as lastId", "rows", "hash"]).executeTakeFirst();
}

/** Reads the next rows, or the first ones whatever their numbers, and the end of the chain as it was at the same moment. */
export async function readChain(queries: Queries, afterId: number | undefined, limit: number): Promise<ChainPart> {
  return queries
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (transaction) => ({
      head: await readHead(transaction),
      rows: await transaction
        .selectFrom("identity.audit")
        .selectAll()
        .$if(afterId !== undefined, (query) => query.where("id", ">", afterId ?? 0))
        .orderBy("id")
        .limit(limit)
        .execute(),
    }));
}

export type AuditTimes = { readonly from?: Date | undefined; readonly to?: Date | undefined };

/** Rows of a time, oldest first. */
export async function readRows(
  queries: Queries,
  afterId: number | undefined,
  { from, to }: AuditTimes,
  limit: number,
): Promise<readonly StoredRow[]> {
  return queries
    .selectFrom("identity.audit")
    .selectAll()
    .$if(afterId !== undefined, (query) => query.where("id", ">", afterId ?? 0))
    .$if(from !== undefined, (query) => query.where("at", ">=", from ?? new Date(0)))
    .$if(to !== undefined, (query) => query.where("at", "<", to ?? new Date(0)))
    .orderBy("id")
    .limit(limit)
    .execute();
}
