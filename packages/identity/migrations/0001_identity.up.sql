create schema identity;

-- Tenants and accounts

create table identity.tenants (
  id uuid primary key,
  name text not null unique check (name ~ '^[a-z][a-z0-9_]{0,40}$'),
  created_at timestamptz not null
);

create table identity.users (
  id uuid primary key,
  tenant_id uuid not null references identity.tenants (id),
  email text not null,
  -- As the application folds it: what the database's own lower() makes of a letter depends on its collation.
  folded_email text not null unique,
  name text not null,
  role text not null check (role in ('admin', 'member')),
  password_hash text not null,
  password_changed_at timestamptz not null,
  must_change_password boolean not null,
  disabled_at timestamptz,
  -- Kept for emergencies: goes on logging in by password and second factor where the organization demands its provider.
  break_glass boolean not null default false,
  -- Raised whenever tokens issued before must stop to count.
  epoch integer not null default 1,
  -- When the epoch last went up, as the feed for the other parts tells.
  epoch_raised_at timestamptz,
  -- Sealed: v1.<key id>.<nonce>.<ciphertext>.<tag>
  totp_secret text,
  totp_enabled boolean not null default false,
  totp_backup_codes text[] not null default '{}',
  totp_last_used_at timestamptz,
  -- The last time step whose code was accepted (RFC 6238, 30 s each): a code is good for one use.
  totp_last_step bigint,
  created_at timestamptz not null,
  last_login_at timestamptz,
  check (not totp_enabled or totp_secret is not null)
);
create index users_tenant on identity.users (tenant_id);
create index users_epoch_raised on identity.users (epoch_raised_at) where epoch_raised_at is not null;

-- What an organization asks of its admins; without a row nothing.
create table identity.policies (
  tenant_id uuid primary key references identity.tenants (id) on delete cascade,
  -- From then on an admin without a second factor can only set one up.
  admins_need_second_factor_from timestamptz,
  -- A reset of a second factor waits for another admin.
  resets_need_two boolean not null,
  -- When that ends, after it was switched off.
  resets_need_two_until timestamptz,
  -- Whether members may add passkeys; those that are there count either way.
  members_may_add_passkeys boolean not null default false
);

-- Resets of a second factor that wait for another admin.
create table identity.waiting_actions (
  user_id uuid primary key references identity.users (id) on delete cascade,
  action text not null,
  asked_by uuid not null references identity.users (id) on delete cascade,
  reason text not null,
  expires_at timestamptz not null
);

-- Links that came by mail: an invitation, a password reset. Only the hash of what the link holds.
create table identity.mail_tickets (
  token_hash bytea primary key,
  user_id uuid not null references identity.users (id) on delete cascade,
  purpose text not null check (purpose in ('invitation', 'password_reset')),
  epoch integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index mail_tickets_user on identity.mail_tickets (user_id);
create index mail_tickets_expiry on identity.mail_tickets (expires_at);

-- What people are told of their account: shown in the console, and mailed from here where there is a mail server.
create table identity.notices (
  id uuid primary key,
  user_id uuid not null references identity.users (id) on delete cascade,
  kind text not null,
  at timestamptz not null,
  -- Client address and the like; never a code, a secret or a token.
  details jsonb not null default '{}',
  -- Sealed, where the mail holds a link that opens something.
  sealed_link text,
  -- Whether the console shows it, until it was read.
  shown boolean not null,
  read_at timestamptz,
  -- Null when there was no mail server, or there is nothing left to send.
  send_after timestamptz,
  tries integer not null default 0,
  sent_at timestamptz,
  last_error text
);
create index notices_user on identity.notices (user_id, at desc);
create index notices_outbox on identity.notices (send_after) where send_after is not null;

-- Company sign-in (OpenID Connect): one provider a tenant, configured by its admins.
create table identity.sso_providers (
  id uuid primary key,
  tenant_id uuid not null unique references identity.tenants (id) on delete cascade,
  name text not null,
  issuer text not null,
  client_id text not null,
  -- Sealed: v1.<key id>.<nonce>.<ciphertext>.<tag>
  client_secret text not null,
  scopes text[] not null,
  -- The claim whose values say who may be what; without it the provider says nothing of roles.
  role_claim text,
  admin_values text[] not null,
  member_values text[] not null,
  -- For whom no value is found; null refuses them.
  default_role text check (default_role in ('member')),
  creates_accounts boolean not null,
  -- Accounts of its domains log in by it alone.
  enforced boolean not null,
  -- Says the admin: the provider asks everybody for a second factor.
  asks_second_factor boolean not null,
  -- Addresses count although the provider does not say whether they are verified.
  vouches_for_addresses boolean not null,
  -- A sign-in that began before a change ends with it.
  revision integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_login_at timestamptz
);

-- The e-mail domains that a tenant lists. Several may list the same one: it counts for the one that proved by DNS that it is theirs.
create table identity.sso_domains (
  provider_id uuid not null references identity.sso_providers (id) on delete cascade,
  domain text not null check (domain = lower(domain)),
  -- What the TXT record has to say. It is random and of this tenant, so the record of one proves nothing for another.
  token text not null,
  -- Since when the domain counts; null until then.
  verified_at timestamptz,
  -- Since when a domain that counts is without its record.
  missing_since timestamptz,
  checked_at timestamptz,
  -- When a domain that counts is looked up again.
  check_at timestamptz,
  -- What DNS answered last, when that was no proof.
  problem text,
  primary key (provider_id, domain),
  check (missing_since is null or verified_at is not null),
  check ((verified_at is null) = (check_at is null))
);
create unique index sso_domains_verified on identity.sso_domains (domain) where verified_at is not null;
create index sso_domains_check on identity.sso_domains (check_at);

-- Who at a provider an account belongs to; from the first sign-in on the address does not matter any more.
create table identity.sso_links (
  tenant_id uuid not null references identity.tenants (id) on delete cascade,
  issuer text not null,
  subject text not null,
  user_id uuid not null references identity.users (id) on delete cascade,
  created_at timestamptz not null,
  primary key (tenant_id, issuer, subject),
  unique (user_id, issuer)
);

-- Browsers that were sent to a provider. Found by the hash of the state, and only with the browser's cookie.
create table identity.sso_attempts (
  id text primary key,
  browser_hash bytea not null,
  provider_id uuid not null references identity.sso_providers (id) on delete cascade,
  revision integer not null,
  -- Sealed: v1.<key id>.<nonce>.<ciphertext>.<tag>
  payload text not null,
  expires_at timestamptz not null
);
create index sso_attempts_provider on identity.sso_attempts (provider_id);
create index sso_attempts_expiry on identity.sso_attempts (expires_at);

-- People and groups that the company's directory keeps (SCIM); external_id is its own name for one.

create table identity.groups (
  id uuid primary key,
  tenant_id uuid not null references identity.tenants (id) on delete cascade,
  name text not null,
  external_id text,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  unique (tenant_id, name)
);

create table identity.group_members (
  group_id uuid not null references identity.groups (id) on delete cascade,
  user_id uuid not null references identity.users (id) on delete cascade,
  primary key (group_id, user_id)
);
create index group_members_user on identity.group_members (user_id);

-- What the people of a group may. Without a group: the mark that it is kept to groups, which stays when the last of them is deleted.
create table identity.group_rights (
  tenant_id uuid not null references identity.tenants (id) on delete cascade,
  kind text not null check (kind in ('repository', 'project')),
  target uuid not null,
  group_id uuid references identity.groups (id) on delete cascade,
  level text not null check (level in ('read', 'write', 'admin')),
  unique nulls not distinct (tenant_id, kind, target, group_id)
);

-- The one token of a directory for each tenant: 256 random bits, of which the hash is kept.
create table identity.scim_tokens (
  tenant_id uuid primary key references identity.tenants (id) on delete cascade,
  token_hash bytea not null unique,
  created_by uuid not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);

-- Accounts that the directory keeps, with what it says of them besides.
create table identity.scim_people (
  user_id uuid primary key references identity.users (id) on delete cascade,
  external_id text,
  given_name text,
  family_name text,
  changed_at timestamptz not null,
  -- Since when the directory does not have the person any more. The account stays, disabled, with its second factor.
  removed_at timestamptz
);

-- Jobs that a tenant trusts by what their host signs: which may do what.
create table identity.workloads (
  id uuid primary key,
  tenant_id uuid not null references identity.tenants (id) on delete cascade,
  -- A rule counts while this account is an active admin.
  created_by uuid not null references identity.users (id) on delete cascade,
  issuer text not null,
  -- Of the ID token; one star stands for anything. So in branches, of which null stands for all.
  subject text not null,
  branches text,
  repository_id uuid,
  project_id uuid,
  scopes text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index workloads_tenant on identity.workloads (tenant_id);
create index workloads_created_by on identity.workloads (created_by);

-- Sessions and the keys that sign access tokens

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
  -- Until when password and code were shown again on this session.
  step_up_until timestamptz,
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
create index sessions_revoked on identity.sessions (revoked_at) where revoked_at is not null;

-- Browsers in which an account was fully logged in. Only the hash of what their cookie holds.
create table identity.known_devices (
  token_hash bytea not null,
  user_id uuid not null references identity.users (id) on delete cascade,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (token_hash, user_id)
);
create index known_devices_user on identity.known_devices (user_id, last_used_at);
create index known_devices_expiry on identity.known_devices (expires_at);

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

-- The second factor

-- What a password, or the company's provider, alone gives an account with a second factor. A row is gone once it is used, worn out or over.
create table identity.partial_tokens (
  token_hash bytea primary key,
  user_id uuid not null references identity.users (id) on delete cascade,
  epoch integer not null,
  tries integer not null default 0,
  ip text not null,
  user_agent text,
  -- How the first step was proved.
  amr text[] not null default '{pwd}',
  -- Whom the provider named at the first step: linked with the account once the second one is proved.
  sso_issuer text,
  sso_subject text,
  authenticated_at timestamptz not null,
  expires_at timestamptz not null,
  check ((sso_issuer is null) = (sso_subject is null))
);
create index partial_tokens_user on identity.partial_tokens (user_id, expires_at);
create index partial_tokens_expiry on identity.partial_tokens (expires_at);

-- Tries of a sealed setup ticket, from the first one on. The ticket's secret is not here.
create table identity.setup_tries (
  ticket_id uuid primary key,
  user_id uuid not null references identity.users (id) on delete cascade,
  tries integer not null,
  used_at timestamptz,
  expires_at timestamptz not null
);
create index setup_tries_expiry on identity.setup_tries (expires_at);

-- Failures in a row of one kind of second factor, over all routes.
create table identity.second_factor_counters (
  user_id uuid not null references identity.users (id) on delete cascade,
  pool text not null check (pool in ('totp', 'backup_code')),
  in_a_row integer not null default 0,
  locked_until timestamptz,
  suspended boolean not null default false,
  primary key (user_id, pool)
);

-- One row per evaluated wrong code, and per try that is being evaluated: what the rolling budgets are counted from.
create table identity.second_factor_tries (
  id uuid primary key,
  user_id uuid not null references identity.users (id) on delete cascade,
  pool text not null check (pool in ('totp', 'backup_code')),
  at timestamptz not null
);
create index second_factor_tries_user on identity.second_factor_tries (user_id, pool, at);
create index second_factor_tries_at on identity.second_factor_tries (at);

-- Apps that people connect to the product (OAuth 2.1): who they say they are, and what they were granted

create table identity.oauth_clients (
  id text primary key,
  -- What the app said of itself (RFC 7591), cleaned. It has no secret.
  metadata jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index oauth_clients_expiry on identity.oauth_clients (expires_at);

create table identity.oauth_grants (
  -- The `sid` of the access tokens.
  id uuid primary key,
  user_id uuid not null references identity.users (id) on delete cascade,
  -- The account's when it was granted: a grant ends with whatever raises it.
  epoch integer not null,
  client_id text not null,
  app_name text not null,
  redirect_host text not null,
  -- Null: all of the tenant.
  repositories uuid[],
  traces boolean not null,
  -- The hash of the question that was answered with it: one grant for each.
  asked_by text not null unique,
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text,
  check ((revoked_at is null) = (revoked_reason is null))
);
create index oauth_grants_user on identity.oauth_grants (user_id);
create index oauth_grants_expiry on identity.oauth_grants (expires_at);
create index oauth_grants_revoked on identity.oauth_grants (revoked_at) where revoked_at is not null;

-- Questions that wait for consent, codes and refresh tokens. Found by the hash of what the app or browser holds.
create table identity.oauth_states (
  id text primary key,
  kind text not null,
  grant_id uuid references identity.oauth_grants (id) on delete cascade,
  -- Sealed: v1.<key id>.<nonce>.<ciphertext>.<tag>
  payload text not null,
  consumed_at timestamptz,
  expires_at timestamptz not null
);
create index oauth_states_grant on identity.oauth_states (grant_id) where grant_id is not null;
create index oauth_states_expiry on identity.oauth_states (expires_at);
-- Passkeys (WebAuthn): a second factor, and a login of their own. What is kept opens nothing.
create table identity.passkeys (
  id uuid primary key,
  user_id uuid not null references identity.users (id) on delete cascade,
  -- Base64url, as browsers send it.
  credential_id text not null unique,
  -- COSE
  public_key bytea not null,
  -- How often the authenticator says it has signed; 0 where it does not count.
  counter bigint not null,
  transports text[] not null,
  -- Whether it stays on one device, or is copied to others of its owner.
  device_type text not null check (device_type in ('singleDevice', 'multiDevice')),
  backed_up boolean not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user on identity.passkeys (user_id, created_at);

-- What a passkey is asked to sign, once. Only the hash, and for whom it was made, where that is known.
create table identity.passkey_challenges (
  challenge_hash bytea primary key,
  purpose text not null check (purpose in ('login', 'second_factor', 'register', 'step_up')),
  user_id uuid references identity.users (id) on delete cascade,
  session_id uuid references identity.sessions (id) on delete cascade,
  expires_at timestamptz not null
);
create index passkey_challenges_expiry on identity.passkey_challenges (expires_at);

-- The audit log: a chain, so that a row that is changed, removed or put in between shows

create table identity.audit (
  -- Whoever appends counts the ids, without a gap.
  id bigint primary key,
  at timestamptz not null,
  event text not null,
  -- No foreign keys: a row outlives what it tells of.
  tenant_id uuid,
  user_id uuid,
  actor_id uuid,
  session_id uuid,
  ip text,
  user_agent text,
  details jsonb not null default '{}',
  hash bytea not null
);
create index audit_at on identity.audit (tenant_id, id desc);
create index audit_user on identity.audit (user_id, id);
create index audit_actor on identity.audit (actor_id, id) where actor_id is not null;
-- Whose access tokens no row of theirs tells of any more; few, and asked for every few seconds.
create index audit_user_deleted on identity.audit (at) where event = 'user_deleted';

-- The end of the audit's chain; whoever appends holds this row to the end of the transaction.
create table identity.audit_head (
  only_one boolean primary key default true check (only_one),
  last_id bigint not null,
  rows bigint not null,
  hash bytea not null,
  -- When the end was last written down outside of this database.
  published_at timestamptz
);
insert into identity.audit_head (last_id, rows, hash) values (0, 0, decode(repeat('00', 32), 'hex'));

-- Ends of the chain as they were, sealed with a key that is not in the database: who rewrites the chain cannot rewrite these.
create table identity.audit_anchors (
  last_id bigint primary key,
  at timestamptz not null,
  rows bigint not null,
  hash bytea not null,
  -- Whether an operator accepted a restored database here: what was signed before and is not in the chain does not count any more.
  accepted boolean not null,
  -- Sealed, with all of the above: v1.<key id>.<nonce>.<ciphertext>.<tag>
  seal text not null
);
create index audit_anchors_at on identity.audit_anchors (at);
