import type { ColumnType, Generated, Kysely, Transaction as KyselyTransaction } from "kysely";
import type { ActionOfTwo, WorkloadRequest } from "./contract.ts";
import type { GroupMemberRow, GroupRightRow, GroupRow, ScimPersonRow, ScimTokenRow } from "./scim-schema.ts";
import type { SsoAttemptRow, SsoDomainRow, SsoLinkRow, SsoProviderRow } from "./sso-schema.ts";

/** Tables of the schema `identity`, as the migrations make them. */
export type IdentitySchema = {
  readonly "identity.tenants": TenantRow;
  readonly "identity.users": UserRow;
  readonly "identity.sessions": SessionRow;
  readonly "identity.signing_keys": SigningKeyRow;
  readonly "identity.throttles": ThrottleRow;
  readonly "identity.audit": AuditRow;
  readonly "identity.audit_anchors": AuditAnchorRow;
  readonly "identity.audit_head": AuditHeadRow;
  readonly "identity.partial_tokens": PartialTokenRow;
  readonly "identity.setup_tries": SetupTriesRow;
  readonly "identity.second_factor_counters": SecondFactorCounterRow;
  readonly "identity.second_factor_tries": SecondFactorTryRow;
  readonly "identity.policies": PolicyRow;
  readonly "identity.waiting_actions": WaitingActionRow;
  readonly "identity.passkeys": PasskeyRow;
  readonly "identity.passkey_challenges": PasskeyChallengeRow;
  readonly "identity.known_devices": KnownDeviceRow;
  readonly "identity.sso_providers": SsoProviderRow;
  readonly "identity.sso_domains": SsoDomainRow;
  readonly "identity.sso_links": SsoLinkRow;
  readonly "identity.sso_attempts": SsoAttemptRow;
  readonly "identity.groups": GroupRow;
  readonly "identity.group_members": GroupMemberRow;
  readonly "identity.group_rights": GroupRightRow;
  readonly "identity.scim_tokens": ScimTokenRow;
  readonly "identity.scim_people": ScimPersonRow;
  readonly "identity.workloads": WorkloadRow;
  readonly "identity.mail_tickets": MailTicketRow;
  readonly "identity.notices": NoticeRow;
  readonly "identity.oauth_clients": OauthClientRow;
  readonly "identity.oauth_grants": OauthGrantRow;
  readonly "identity.oauth_states": OauthStateRow;
};

/** A pool's query builder or a transaction: stores take either. */
export type Queries = Kysely<IdentitySchema>;

/** A transaction, for stores that are only right inside of one. */
export type Transaction = KyselyTransaction<IdentitySchema>;

export type Role = "admin" | "member";

type WorkloadRow = WorkloadRequest & {
  readonly id: string;
  readonly tenant_id: string;
  readonly created_by: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
};

type TenantRow = {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
};

type UserRow = {
  readonly id: string;
  readonly tenant_id: string;
  readonly email: string;
  readonly folded_email: string;
  readonly name: string;
  readonly role: Role;
  readonly password_hash: string;
  readonly password_changed_at: Date;
  readonly must_change_password: boolean;
  readonly disabled_at: Date | null;
  readonly break_glass: Generated<boolean>;
  readonly epoch: Generated<number>;
  readonly totp_secret: string | null;
  readonly totp_enabled: Generated<boolean>;
  readonly totp_backup_codes: Generated<string[]>;
  readonly totp_last_used_at: Date | null;
  readonly totp_last_step: number | null;
  readonly epoch_raised_at: Date | null;
  readonly last_login_at: Date | null;
  readonly created_at: Date;
};

type SessionRow = {
  readonly id: string;
  readonly user_id: string;
  readonly refresh_salt: Buffer;
  readonly generation: Generated<number>;
  readonly rotated_at: Date;
  readonly amr: string[];
  readonly authenticated_at: Date;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly idle_expires_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly revoked_reason: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly step_up_until: Date | null;
};

type PolicyRow = {
  readonly tenant_id: string;
  readonly admins_need_second_factor_from: Date | null;
  readonly resets_need_two: boolean;
  readonly resets_need_two_until: Date | null;
  readonly members_may_add_passkeys: Generated<boolean>;
};

type WaitingActionRow = {
  readonly user_id: string;
  readonly action: ActionOfTwo;
  readonly asked_by: string;
  readonly reason: string;
  readonly expires_at: Date;
};

type KnownDeviceRow = {
  readonly token_hash: Buffer;
  readonly user_id: string;
  readonly last_used_at: Date;
  readonly expires_at: Date;
};

type SigningKeyRow = {
  readonly kid: string;
  readonly algorithm: string;
  readonly public_jwk: { readonly kty: string; readonly n: string; readonly e: string };
  /** Sealed; empty once the key is retired. */
  readonly private_key: string;
  readonly created_at: Date;
  readonly active_from: Date;
  readonly retired_at: Date | null;
};

type ThrottleRow = {
  readonly key: string;
  readonly tries: number;
  readonly blocked_until: Date | null;
  readonly expires_at: Date;
};

type AuditRow = {
  readonly id: number;
  readonly at: Date;
  readonly event: string;
  readonly tenant_id: string | null;
  readonly user_id: string | null;
  readonly actor_id: string | null;
  readonly session_id: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly details: Generated<Readonly<Record<string, string>>>;
  readonly hash: Buffer;
};

type AuditHeadRow = {
  readonly only_one: Generated<boolean>;
  readonly last_id: number;
  readonly rows: number;
  readonly hash: Buffer;
  readonly published_at: Date | null;
};

type AuditAnchorRow = {
  readonly last_id: number;
  readonly at: Date;
  readonly rows: number;
  readonly hash: Buffer;
  readonly accepted: boolean;
  readonly seal: string;
};

type PartialTokenRow = {
  readonly token_hash: Buffer;
  readonly user_id: string;
  readonly epoch: number;
  readonly tries: Generated<number>;
  readonly ip: string;
  readonly user_agent: string | null;
  readonly amr: Generated<string[]>;
  readonly sso_issuer: string | null;
  readonly sso_subject: string | null;
  readonly authenticated_at: Date;
  readonly expires_at: Date;
};

type SetupTriesRow = {
  readonly ticket_id: string;
  readonly user_id: string;
  readonly tries: number;
  readonly used_at: Date | null;
  readonly expires_at: Date;
};

/** The two kinds of second factor, which are counted apart: a lock of one never shuts the owner out of the other. */
export type SecondFactorPool = "totp" | "backup_code";

type SecondFactorCounterRow = {
  readonly user_id: string;
  readonly pool: SecondFactorPool;
  readonly in_a_row: Generated<number>;
  readonly locked_until: Date | null;
  readonly suspended: Generated<boolean>;
};

type SecondFactorTryRow = {
  readonly id: string;
  readonly user_id: string;
  readonly pool: SecondFactorPool;
  readonly at: Date;
};

type PasskeyRow = {
  readonly id: string;
  readonly user_id: string;
  readonly credential_id: string;
  readonly public_key: Buffer;
  readonly counter: number;
  readonly transports: string[];
  readonly device_type: "singleDevice" | "multiDevice";
  readonly backed_up: boolean;
  readonly name: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
};

/** The purpose of a challenge; an answer for one is none for another. */
export type PasskeyPurpose = "login" | "second_factor" | "register" | "step_up";

type PasskeyChallengeRow = {
  readonly challenge_hash: Buffer;
  readonly purpose: PasskeyPurpose;
  readonly user_id: string | null;
  readonly session_id: string | null;
  readonly expires_at: Date;
};

type MailTicketRow = {
  readonly token_hash: Buffer;
  readonly user_id: string;
  readonly purpose: "invitation" | "password_reset";
  readonly epoch: number;
  readonly created_at: Date;
  readonly expires_at: Date;
};

type NoticeRow = {
  readonly id: string;
  readonly user_id: string;
  readonly kind: string;
  readonly at: Date;
  readonly details: Generated<Readonly<Record<string, string>>>;
  readonly sealed_link: string | null;
  readonly shown: boolean;
  readonly read_at: Date | null;
  readonly send_after: Date | null;
  readonly tries: Generated<number>;
  readonly sent_at: Date | null;
  readonly last_error: string | null;
};

type OauthClientRow = {
  readonly id: string;
  readonly metadata: ColumnType<Readonly<Record<string, unknown>>, string, never>;
  readonly created_at: Date;
  readonly expires_at: Date;
};

type OauthGrantRow = {
  readonly id: string;
  readonly user_id: string;
  readonly epoch: number;
  readonly client_id: string;
  readonly app_name: string;
  readonly redirect_host: string;
  readonly repositories: string[] | null;
  readonly traces: boolean;
  readonly evaluation: boolean;
  readonly asked_by: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly revoked_reason: string | null;
};

type OauthStateRow = {
  readonly id: string;
  readonly kind: string;
  readonly grant_id: string | null;
  readonly payload: string;
  readonly consumed_at: Date | null;
  readonly expires_at: Date;
};
