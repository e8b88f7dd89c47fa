import { sql, type Kysely, type Selectable } from "kysely";
import { v7 as newId } from "uuid";
import type { WebhookProvider } from "#contract.ts";
import type { CodeIndexTables, Push, WebhookDeliveriesTable } from "#schema.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** A delivery of a host, for one of the repositories it is about, as its row. */
export type DeliveryRow = Selectable<WebhookDeliveriesTable>;

export type DeliveryOutcome = { readonly status: DeliveryRow["status"]; readonly reason: string; readonly jobIds: readonly string[] };

type NewDelivery = {
  readonly tenantId: string;
  readonly repoId: string;
  readonly provider: WebhookProvider;
  readonly deliveryId: string;
  readonly event: string;
  readonly push: Push;
  readonly now: Date;
};

/**
 * Puts a delivery into the ledger, and returns its id; `undefined` when it is there already. One that is just being
 * put in by another process is waited for, so within a transaction a delivery is acted on once.
 */
export async function insertDelivery(query: Kysely<CodeIndexTables>, delivery: NewDelivery): Promise<string | undefined> {
  const row = await query
    .insertInto("codeindex.webhook_deliveries")
    .values({
      id: newId(),
      tenant_id: delivery.tenantId,
      repo_id: delivery.repoId,
      provider: delivery.provider,
      delivery_id: delivery.deliveryId,
      event: delivery.event,
      full_name: delivery.push.full_name,
      push: JSON.stringify(delivery.push),
      status: "ignored",
      received_at: delivery.now,
    })
    .onConflict((conflict) => conflict.columns(["provider", "delivery_id", "repo_id"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  return row?.id;
}

type Settling = DeliveryOutcome & {
  readonly id: string;
  readonly tenantId: string;
  /** When it was acted on once more. */
  readonly replayedAt?: Date;
};

/** Writes down what a delivery came to. */
export async function settleDelivery(
  query: Kysely<CodeIndexTables>,
  { id, tenantId, status, reason, jobIds, replayedAt }: Settling,
): Promise<void> {
  const replay = replayedAt === undefined ? {} : { replays: sql<number>`replays + 1`, replayed_at: replayedAt };
  await query
    .updateTable("codeindex.webhook_deliveries")
    .set({ status, reason, job_ids: jobIds, ...replay })
    .where("id", "=", id)
    .where("tenant_id", "=", tenantId)
    .execute();
}

type Sought = Pick<NewDelivery, "provider" | "deliveryId" | "repoId">;

/** What an earlier delivery with the same identifier came to. */
export async function findOutcome(
  query: Kysely<CodeIndexTables>,
  { provider, deliveryId, repoId }: Sought,
): Promise<DeliveryOutcome | undefined> {
  const row = await query
    .selectFrom("codeindex.webhook_deliveries")
    .select(["status", "reason", "job_ids"])
    .where("provider", "=", provider)
    .where("delivery_id", "=", deliveryId)
    .where("repo_id", "=", repoId)
    .executeTakeFirst();
  return row === undefined ? undefined : { status: row.status, reason: row.reason, jobIds: row.job_ids };
}

type Listing = {
  readonly tenantId: string;
  readonly repoId?: string | undefined;
  readonly status?: DeliveryRow["status"] | undefined;
  /** The id of the last delivery already seen. */
  readonly after?: string | undefined;
  readonly limit: number;
};

/** A tenant's deliveries, newest first; identifiers rise with time. */
export async function listDeliveries(database: CodeIndexDatabase, listing: Listing): Promise<readonly DeliveryRow[]> {
  const { tenantId, repoId, status, after, limit } = listing;
  return selectDeliveries(database, tenantId)
    .$if(repoId !== undefined, (query) => query.where("repo_id", "=", repoId ?? ""))
    .$if(status !== undefined, (query) => query.where("status", "=", status ?? "accepted"))
    .$if(after !== undefined, (query) => query.where("id", "<", after ?? ""))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

export async function getDelivery(
  database: CodeIndexDatabase,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
): Promise<DeliveryRow | undefined> {
  return selectDeliveries(database, tenantId).where("id", "=", id).executeTakeFirst();
}

/** Those of repositories that are being deleted are gone already. */
function selectDeliveries(database: CodeIndexDatabase, tenantId: string) {
  return database.query
    .selectFrom("codeindex.webhook_deliveries")
    .selectAll()
    .where("tenant_id", "=", tenantId)
    .where("repo_id", "not in", (query) => query.selectFrom("codeindex.repositories").select("id").where("deleting_at", "is not", null));
}

const KEPT_MS = 30 * 24 * 60 * 60_000;
/** Rows deleted by one statement, so that none holds the database for long. */
const BATCH = 1_000;

/** Deletes some of the deliveries that are older than 30 days; true when there may be more. */
export async function pruneDeliveries(database: CodeIndexDatabase, { now }: { readonly now: Date }): Promise<boolean> {
  const before = new Date(now.getTime() - KEPT_MS);
  const { numAffectedRows = 0n } = await sql`
    delete from codeindex.webhook_deliveries where id = any(array(
      select id from codeindex.webhook_deliveries where received_at < ${before} order by received_at limit ${BATCH} for update skip locked
    ))
  `.execute(database.query);
  return numAffectedRows >= BATCH;
}
