import type { Generated, GeneratedAlways, Kysely } from "kysely";

/** Tables of the schema `identity`, as the migrations make them. */
export type IdentitySchema = {
  readonly "identity.tenants": TenantRow;
  readonly "identity.users": UserRow;
  readonly "identity.sessions": SessionRow;
  readonly "identity.signing_keys": SigningKeyRow;
  readonly "identity.throttles": ThrottleRow;
  readonly "identity.audit": AuditRow;
};

/** A pool's query builder or a transaction: stores take either. */
export type Queries = Kysely<IdentitySchema>;

export type Role = "admin" | "member";

type TenantRow = {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
};

type UserRow = {
  readonly id: string;
  readonly tenant_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly password_hash: string;
  readonly password_changed_at: Date;
  readonly must_change_password: boolean;
  readonly disabled_at: Date | null;
  readonly epoch: Generated<number>;
  readonly totp_secret: string | null;
  readonly totp_enabled: Generated<boolean>;
  readonly totp_backup_codes: Generated<string[]>;
  readonly totp_last_used_at: Date | null;
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
};

type SigningKeyRow = {
  readonly kid: string;
  readonly algorithm: string;
  readonly public_jwk: { readonly kty: string; readonly n: string; readonly e: string };
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
  readonly id: GeneratedAlways<number>;
  readonly at: Date;
  readonly event: string;
  readonly tenant_id: string | null;
  readonly user_id: string | null;
  readonly actor_id: string | null;
  readonly session_id: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly details: Generated<Readonly<Record<string, string>>>;
};
