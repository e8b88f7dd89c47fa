import type { Transaction } from "kysely";
import type { IdentitySchema } from "#schema.ts";
import type { Client } from "./client.ts";

export type AuditEvent = {
  readonly event: "login_ok" | "login_failed" | "user_created" | "user_password_changed" | "session_revoked" | "token_issued";
  readonly at: Date;
  /** Whom it happened to; undefined when no account is known. */
  readonly userId?: string | undefined;
  readonly tenantId?: string | undefined;
  /** Who did it, where that is someone signed in. */
  readonly actorId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Undefined when it was done on the host. */
  readonly client?: Client | undefined;
  /** Never a code, a secret, a hash or a token. */
  readonly details?: Readonly<Record<string, string>>;
};

/** Writes the row in the transaction of the action itself: there is never one without the other. */
export async function appendAudit(transaction: Transaction<IdentitySchema>, event: AuditEvent): Promise<void> {
  await transaction
    .insertInto("identity.audit")
    .values({
      at: event.at,
      event: event.event,
      tenant_id: event.tenantId ?? null,
      user_id: event.userId ?? null,
      actor_id: event.actorId ?? null,
      session_id: event.sessionId ?? null,
      ip: event.client?.ip ?? null,
      user_agent: event.client?.userAgent ?? null,
      details: event.details ?? {},
    })
    .execute();
}
