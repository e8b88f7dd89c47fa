import type { AuditEventName } from "@sightline/identity/contract";
import { capitalized } from "#ui/words/format.ts";

/** How much an event matters to someone who reads the audit. */
export type Severity = "calm" | "good" | "change" | "warning" | "alarm";

export type EventGroup = "Logins" | "Second factor" | "Accounts" | "System";

type EventLabel = { readonly label: string; readonly severity: Severity; readonly group: EventGroup };

const EVENTS = {
  login_ok: { label: "Logged in", severity: "calm", group: "Logins" },
  login_failed: { label: "Login failed", severity: "warning", group: "Logins" },
  "2fa_login_ok": { label: "Code accepted", severity: "calm", group: "Logins" },
  "2fa_login_failed": { label: "Wrong code", severity: "warning", group: "Logins" },
  backup_code_used: { label: "Backup code used", severity: "warning", group: "Logins" },
  step_up_ok: { label: "Confirmed again", severity: "calm", group: "Logins" },
  step_up_failed: { label: "Confirmation failed", severity: "warning", group: "Logins" },
  session_revoked: { label: "Session ended", severity: "change", group: "Logins" },
  "2fa_setup_started": { label: "2FA setup started", severity: "calm", group: "Second factor" },
  "2fa_setup_failed": { label: "2FA setup failed", severity: "warning", group: "Second factor" },
  "2fa_enabled": { label: "2FA turned on", severity: "good", group: "Second factor" },
  "2fa_replaced": { label: "Authenticator replaced", severity: "change", group: "Second factor" },
  "2fa_disabled": { label: "2FA turned off", severity: "alarm", group: "Second factor" },
  "2fa_admin_reset": { label: "2FA reset", severity: "alarm", group: "Second factor" },
  "2fa_unlocked": { label: "2FA lock lifted", severity: "warning", group: "Second factor" },
  second_admin_asked: { label: "Requested, waiting for a second admin", severity: "alarm", group: "Second factor" },
  second_admin_cancelled: { label: "Request for a second admin withdrawn", severity: "good", group: "Second factor" },
  "2fa_locked": { label: "Codes locked after wrong codes", severity: "alarm", group: "Second factor" },
  "2fa_code_replayed": { label: "Code reused", severity: "alarm", group: "Second factor" },
  backup_codes_regenerated: { label: "New backup codes", severity: "change", group: "Second factor" },
  user_registration_repeated: { label: "Sign-up with a registered address", severity: "warning", group: "Accounts" },
  passkey_login_failed: { label: "Passkey refused", severity: "warning", group: "Logins" },
  passkey_added: { label: "Passkey added", severity: "good", group: "Second factor" },
  passkey_renamed: { label: "Passkey renamed", severity: "calm", group: "Second factor" },
  passkey_removed: { label: "Passkey removed", severity: "alarm", group: "Second factor" },
  passkey_cloned: { label: "Cloned passkey refused", severity: "alarm", group: "Second factor" },
  user_created: { label: "User created", severity: "good", group: "Accounts" },
  user_invited: { label: "User invited", severity: "good", group: "Accounts" },
  user_changed: { label: "User changed", severity: "change", group: "Accounts" },
  user_disabled: { label: "User disabled", severity: "change", group: "Accounts" },
  user_enabled: { label: "User enabled", severity: "change", group: "Accounts" },
  user_deleted: { label: "User deleted", severity: "alarm", group: "Accounts" },
  user_password_changed: { label: "Password changed", severity: "change", group: "Accounts" },
  user_password_reset: { label: "Password reset", severity: "change", group: "Accounts" },
  user_password_reset_requested: { label: "Password reset requested", severity: "warning", group: "Accounts" },
  oauth_granted: { label: "App connected", severity: "good", group: "Accounts" },
  oauth_revoked: { label: "App disconnected", severity: "change", group: "Accounts" },
  oauth_reuse_detected: { label: "Token of an app reused", severity: "alarm", group: "Accounts" },
  sharing_changed: { label: "Sharing of traces switched on or off", severity: "alarm", group: "System" },
  share_link_created: { label: "Link to a trace made", severity: "change", group: "System" },
  share_link_revoked: { label: "Link to a trace ended", severity: "good", group: "System" },
  token_issued: { label: "Token issued", severity: "change", group: "System" },
  policy_changed: { label: "Security policy changed", severity: "alarm", group: "Accounts" },
  sso_changed: { label: "Company sign-in changed", severity: "alarm", group: "Accounts" },
  sso_removed: { label: "Company sign-in removed", severity: "alarm", group: "Accounts" },
  sso_linked: { label: "Linked with company sign-in", severity: "good", group: "Accounts" },
  sso_login_failed: { label: "Company sign-in refused", severity: "warning", group: "Logins" },
  sso_domain_added: { label: "E-mail domain added", severity: "change", group: "Accounts" },
  sso_domain_verified: { label: "E-mail domain verified", severity: "alarm", group: "Accounts" },
  sso_domain_proof_gone: { label: "DNS record of an e-mail domain gone", severity: "warning", group: "Accounts" },
  sso_domain_lost: { label: "E-mail domain no longer verified", severity: "alarm", group: "Accounts" },
  sso_domain_removed: { label: "E-mail domain removed", severity: "change", group: "Accounts" },
  break_glass_used: { label: "Emergency login past company sign-in", severity: "alarm", group: "Logins" },
  scim_token_made: { label: "Directory token made", severity: "alarm", group: "Accounts" },
  scim_token_ended: { label: "Directory token ended", severity: "change", group: "Accounts" },
  group_made: { label: "Group made", severity: "change", group: "Accounts" },
  group_changed: { label: "Group changed", severity: "change", group: "Accounts" },
  group_deleted: { label: "Group deleted", severity: "change", group: "Accounts" },
  rights_changed: { label: "Rights of groups changed", severity: "change", group: "Accounts" },
  workload_added: { label: "Workload trusted", severity: "alarm", group: "Accounts" },
  workload_removed: { label: "Workload not trusted any more", severity: "change", group: "Accounts" },
  keys_rotated: { label: "Keys rotated", severity: "change", group: "System" },
  audit_restore_accepted: { label: "Restored database accepted", severity: "alarm", group: "System" },
} as const satisfies Readonly<Record<AuditEventName, EventLabel>>;

/** An event that a newer server knows and this console doesn't is called by its name in words. */
export function findEventLabel(event: string): EventLabel {
  const known: Readonly<Record<string, EventLabel>> = EVENTS;
  return known[event] ?? { label: inWords(event), severity: "change", group: "System" };
}

/** What a detail of an entry is called; `jti` is a token's own name for its id. */
export function nameOfDetail(name: string): string {
  return name === "jti" ? "Token id" : inWords(name);
}

/** A name of the API as people read it. */
function inWords(name: string): string {
  return capitalized(name.replaceAll("_", " "));
}

const GROUPS: readonly EventGroup[] = ["Logins", "Second factor", "Accounts", "System"];

/** The choices of the filter, in the groups in which they are shown. */
export const EVENT_CHOICES = GROUPS.map((group) => ({
  group,
  items: Object.entries(EVENTS)
    .filter(([, event]) => event.group === group)
    .map(([value, { label }]) => ({ value, label })),
}));
