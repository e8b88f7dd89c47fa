import { sql } from "kysely";
import type { Queries, Transaction } from "#schema.ts";
import type { Anchor } from "./anchor.ts";

const COLUMNS = ["last_id as lastId", "at", "rows", "hash", "accepted", "seal"] as const;

/** All that are kept, oldest first. */
export async function listAnchors(queries: Queries): Promise<readonly Anchor[]> {
  return queries.selectFrom("identity.audit_anchors").select(COLUMNS).orderBy("last_id").execute();
}

export async function findLatestAnchor(queries: Queries): Promise<Anchor | undefined> {
  return queries.selectFrom("identity.audit_anchors").select(COLUMNS).orderBy("last_id", "desc").limit(1).executeTakeFirst();
}

/** The one by which an operator last accepted a restored database. */
export async function findLatestAcceptance(queries: Queries): Promise<Anchor | undefined> {
  return queries
    .selectFrom("identity.audit_anchors")
    .select(COLUMNS)
    .where("accepted", "=", true)
    .orderBy("last_id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Another replica may have signed the same end of the chain; an operator's acceptance of it says more. */
export async function insertAnchor(queries: Queries, { lastId, at, rows, hash, accepted, seal }: Anchor): Promise<void> {
  const row = { at, rows, hash, accepted, seal };
  await queries
    .insertInto("identity.audit_anchors")
    .values({ last_id: lastId, ...row })
    .onConflict((conflict) => (accepted ? conflict.column("last_id").doUpdateSet(row) : conflict.column("last_id").doNothing()))
    .execute();
}

export async function deleteAnchors(transaction: Transaction, anchors: readonly Anchor[]): Promise<void> {
  const ids = anchors.map(({ lastId }) => lastId);
  await sql`delete from identity.audit_anchors where last_id = any(${ids}::bigint[])`.execute(transaction);
}

/** Deletes anchors before `time`; the last of each day stays, and what an operator accepted. */
export async function thinAnchors(queries: Queries, time: Date): Promise<void> {
  await sql`
    delete from identity.audit_anchors
    where at < ${time}::timestamptz and not accepted and last_id not in (
      select max(last_id) from identity.audit_anchors group by date_trunc('day', at at time zone 'UTC')
    )`.execute(queries);
}

/** One of many replicas that ask at once gets `true`: it is to write the end of the chain down outside. */
export async function claimPublishing(queries: Queries, now: Date, everyMs: number): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("identity.audit_head")
    .set({ published_at: now })
    .where((expression) =>
      expression.or([expression("published_at", "is", null), expression("published_at", "<=", new Date(now.getTime() - everyMs))]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes publishing due again after it failed. */
export async function givePublishingBack(queries: Queries): Promise<void> {
  await queries.updateTable("identity.audit_head").set({ published_at: null }).execute();
}
