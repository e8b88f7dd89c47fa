create schema identity;

create table identity.tenants (
  id uuid primary key,
  name text not null unique check (name ~ '^[a-z][a-z0-9_]{0,40}$'),
  created_at timestamptz not null
);

create table identity.users (
  id uuid primary key,
  tenant_id uuid not null references identity.tenants (id),
  email text not null,
  name text not null,
  role text not null check (role in ('admin', 'member')),
  password_hash text not null,
  password_changed_at timestamptz not null,
  must_change_password boolean not null,
  disabled_at timestamptz,
  -- Raised whenever tokens issued before must stop to count.
  epoch integer not null default 1,
  -- Sealed: v1.<key id>.<nonce>.<ciphertext>.<tag>
  totp_secret text,
  totp_enabled boolean not null default false,
  totp_backup_codes text[] not null default '{}',
  totp_last_used_at timestamptz,
  created_at timestamptz not null,
  check (not totp_enabled or totp_secret is not null)
);

create unique index users_email on identity.users (lower(email));
create index users_tenant on identity.users (tenant_id);

create table identity.sessions (
  id uuid primary key,
  user_id uuid not null references identity.users (id) on delete cascade,
  -- Half of what a refresh token is computed from; the other half is SECRET_KEY. No token and no hash of one is stored.
  refresh_salt bytea not null,
  -- Counts the rotations; only the token of the current generation is good.
  generation integer not null default 0,
  rotated_at timestamptz not null,
  amr text[] not null,
  authenticated_at timestamptz not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  idle_expires_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text,
  ip text,
  user_agent text,
  check ((revoked_at is null) = (revoked_reason is null))
);

create index sessions_user on identity.sessions (user_id) where revoked_at is null;
create index sessions_expiry on identity.sessions (expires_at);

create table identity.signing_keys (
  kid text primary key,
  algorithm text not null,
  public_jwk jsonb not null,
  -- Sealed PKCS #8
  private_key text not null,
  created_at timestamptz not null,
  active_from timestamptz not null,
  retired_at timestamptz
);

create table identity.throttles (
  -- A hash: neither addresses nor e-mail addresses are kept.
  key text primary key,
  tries integer not null,
  blocked_until timestamptz,
  expires_at timestamptz not null
);

create index throttles_expiry on identity.throttles (expires_at);

create table identity.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  event text not null,
  -- No foreign keys: a row outlives what it tells of.
  tenant_id uuid,
  user_id uuid,
  actor_id uuid,
  session_id uuid,
  ip text,
  user_agent text,
  details jsonb not null default '{}'
);

create index audit_user on identity.audit (user_id, id);
