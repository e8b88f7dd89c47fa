import type { AuditEventName } from "#contract.ts";
import type { Queries, Transaction } from "#schema.ts";
import { extendChain, type UnchainedRow } from "./chain.ts";
import type { Client } from "./client.ts";

export type AuditEvent = {
  readonly event: AuditEventName;
  readonly at: Date;
  /** The account that it happened to; undefined when none is known. */
  readonly userId?: string | undefined;
  readonly tenantId?: string | undefined;
  /** The account that did it, when somebody was signed in. */
  readonly actorId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Undefined when it was done on the host. */
  readonly client?: Client | undefined;
  /** Never a code, a secret, a hash or a token. */
  readonly details?: Readonly<Record<string, string>>;
};

/**
 * Writes the rows in the transaction of the action itself: there is never one without the other. The end of the chain is
 * held to the end of the transaction, and everybody waits for it: append last, when nothing is left to lock or compute.
 */
export async function appendAudit(transaction: Transaction, ...events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) {
    return;
  }
  const head = await transaction
    .selectFrom("identity.audit_head")
    .select(["last_id as lastId", "rows", "hash"])
    .forUpdate()
    .executeTakeFirstOrThrow();
  const rows = extendChain(
    head.hash,
    events.map((event, index) => toRow(event, head.lastId + 1 + index)),
  );
  await transaction
    .with("moved", (queries) =>
      queries.updateTable("identity.audit_head").set({
        last_id: head.lastId + rows.length,
        rows: head.rows + rows.length,
        hash: rows.at(-1)?.hash ?? head.hash,
      }),
    )
    .insertInto("identity.audit")
    .values(rows)
    .execute();
}

/** Writes the row of something that changed nothing else. */
export async function auditAlone(queries: Queries, event: AuditEvent): Promise<void> {
  await queries.transaction().execute((transaction) => appendAudit(transaction, event));
}

function toRow({ client, details, ...event }: AuditEvent, id: number): UnchainedRow {
  return {
    id,
    at: event.at,
    event: event.event,
    tenant_id: asStoredId(event.tenantId),
    user_id: asStoredId(event.userId),
    actor_id: asStoredId(event.actorId),
    session_id: asStoredId(event.sessionId),
    ip: asStoredText(client?.ip),
    user_agent: asStoredText(client?.userAgent),
    details: Object.fromEntries(Object.entries(details ?? {}).map(([key, value]) => [key, asStoredText(value) ?? ""])),
  };
}

/** The hash must match what PostgreSQL returns: ids in lower case, and no character that it does not store. */
function asStoredId(id: string | undefined): string | null {
  return id?.toLowerCase() ?? null;
}

function asStoredText(text: string | undefined): string | null {
  return text?.toWellFormed().replaceAll("\0", "\uFFFD") ?? null;
}
