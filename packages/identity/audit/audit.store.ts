import type { Transaction } from "kysely";
import type { IdentitySchema } from "#schema.ts";
import type { Client } from "./client.ts";

/** Everything that is ever written, so that a filter can name it. */
export const AUDIT_EVENTS = [
  "login_ok",
  "login_failed",
  "2fa_setup_started",
  "2fa_setup_failed",
  "2fa_enabled",
  "2fa_disabled",
  "2fa_replaced",
  "2fa_login_ok",
  "2fa_login_failed",
  "2fa_locked",
  "2fa_code_replayed",
  "2fa_admin_reset",
  "backup_codes_regenerated",
  "backup_code_used",
  "step_up_ok",
  "step_up_failed",
  "user_created",
  "user_invited",
  "user_changed",
  "user_disabled",
  "user_enabled",
  "user_deleted",
  "user_password_changed",
  "user_password_reset",
  "user_password_reset_requested",
  "session_revoked",
  "token_issued",
  "keys_rotated",
] as const;

export type AuditEventName = (typeof AUDIT_EVENTS)[number];

export type AuditEvent = {
  readonly event: AuditEventName;
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
