import { z } from "zod";
import { cursor, id, limit, ONE_LINE, timestamp } from "./parts.ts";

/** Every event that the audit can contain, so that a filter can name it. */
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
  "2fa_unlocked",
  "2fa_code_replayed",
  "2fa_admin_reset",
  "second_admin_asked",
  "second_admin_cancelled",
  "backup_codes_regenerated",
  "backup_code_used",
  "passkey_added",
  "passkey_renamed",
  "passkey_removed",
  "passkey_login_failed",
  "passkey_cloned",
  "step_up_ok",
  "step_up_failed",
  "user_created",
  "user_registration_repeated",
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
  "audit_restore_accepted",
  "policy_changed",
  "sso_changed",
  "sso_removed",
  "sso_linked",
  "sso_login_failed",
  "sso_domain_added",
  "sso_domain_verified",
  "sso_domain_proof_gone",
  "sso_domain_lost",
  "sso_domain_removed",
  "break_glass_used",
  "scim_token_made",
  "scim_token_ended",
  "group_made",
  "group_changed",
  "group_deleted",
  "workload_added",
  "workload_removed",
  "rights_changed",
  "oauth_granted",
  "oauth_revoked",
  "oauth_reuse_detected",
  "sharing_changed",
  "share_link_created",
  "share_link_revoked",
] as const;

export type AuditEventName = (typeof AUDIT_EVENTS)[number];

/** `GET /admin/audit` */
export const auditQuerySchema = z.object({
  limit,
  cursor,
  /** One event, or several with commas between. */
  event: z.string().max(1000).regex(ONE_LINE).optional(),
  /** The account that it happened to, or that did it. */
  user_id: id.optional(),
  ip: z.string().max(64).regex(ONE_LINE).optional(),
  from: timestamp.optional(),
  to: timestamp.optional(),
});

/** `GET /admin/audit/export` */
export const auditExportQuerySchema = auditQuerySchema.omit({ limit: true, cursor: true });

export const auditEntrySchema = z.object({
  id: z.int(),
  at: timestamp,
  event: z.string(),
  user: z.object({ id, email: z.string().nullable() }).nullable(),
  actor: z.object({ id, email: z.string().nullable() }).nullable(),
  session_id: id.nullable(),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  details: z.record(z.string(), z.string()),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;
export const auditPageSchema = z.object({ entries: z.array(auditEntrySchema), next_cursor: z.string().nullable() });
export type AuditPage = z.infer<typeof auditPageSchema>;

/** `GET /admin/audit/verification`: the chain of the whole system, recomputed. */
export const auditVerificationSchema = z.object({
  intact: z.boolean(),
  rows: z.int(),
  /** Hexadecimal. Note it elsewhere: a later verification can be compared with it. */
  head: z.string(),
  first_broken_id: z.int().nullable(),
  /** One sentence on what is wrong. */
  problem: z.string().nullable(),
  /** When the end of the chain was last signed with a key that is not in the database. */
  signed_at: timestamp.nullable(),
});
export type AuditVerification = z.infer<typeof auditVerificationSchema>;
