import { isDeepStrictEqual } from "node:util";
import { lockKey } from "@sightline/foundation/database/advisory-lock";
import { sql, type Insertable } from "kysely";
import { v7 as uuidv7, validate as isUuid } from "uuid";
import { FACTORS, MAY_ADD_PASSKEYS, PASSKEYS, SSO_ONLY } from "#account-facts.ts";
import type { Factor } from "#contract.ts";
import type { IdentitySchema, Queries, Transaction } from "#schema.ts";

/**
 * The one writing by which an address is found and its tries are counted. Made here alone: what PostgreSQL folds depends on the
 * database's collation (in a Turkish one ADMIN is admın), and a second writing that finds the account would have tries of its own.
 */
export function foldEmail(email: string): string {
  return email.trim().normalize("NFC").toLowerCase();
}

/** The address as an account keeps it: as it was typed, but where PostgreSQL's lower(), which may know ASCII alone, would not find it again. */
export function keptEmail(email: string): string {
  return /\P{ASCII}/u.test(email) ? foldEmail(email) : email;
}

/** PostgreSQL stores no text with NUL and answers a search for one with an error, so NUL is replaced. */
export function storableText(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}

/** The columns of an account that a login needs. */
export type Account = NonNullable<Awaited<ReturnType<typeof findAccount>>>;

const ACCOUNT_COLUMNS = [
  "id",
  "tenant_id as tenantId",
  "password_hash as passwordHash",
  "disabled_at as disabledAt",
  "epoch",
  "email",
  "break_glass as breakGlass",
  FACTORS,
  SSO_ONLY.as("ssoOnly"),
] as const;

export async function findAccountByEmail(queries: Queries, email: string) {
  return queries
    .selectFrom("identity.users as user")
    .select(ACCOUNT_COLUMNS)
    .where("folded_email", "=", storableText(foldEmail(email)))
    .executeTakeFirst();
}

export async function findAccount(queries: Queries, id: string) {
  return queries.selectFrom("identity.users as user").select(ACCOUNT_COLUMNS).where("id", "=", id).executeTakeFirst();
}

export async function findProfile(queries: Queries, id: string) {
  return queries
    .selectFrom("identity.users as user")
    .innerJoin("identity.tenants as tenant", "tenant.id", "user.tenant_id")
    .leftJoin("identity.policies as policy", "policy.tenant_id", "user.tenant_id")
    .select([
      "user.id",
      "user.email",
      "user.name",
      "user.role",
      "user.must_change_password",
      "user.totp_enabled",
      PASSKEYS.as("passkeys"),
      MAY_ADD_PASSKEYS.as("may_add_passkeys"),
      "tenant.id as tenantId",
      "tenant.name as tenantName",
    ])
    .where("user.id", "=", id)
    .executeTakeFirst();
}

export async function hasAccounts(queries: Queries): Promise<boolean> {
  return (await queries.selectFrom("identity.users").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Whether company sign-in is demanded of the address: by the account's own tenant and no other; of an address without an account, by the
 * tenant that has proven its domain.
 */
export async function isSsoDomain(queries: Queries, email: string, tenantId: string | undefined): Promise<boolean> {
  const row = await queries
    .selectFrom("identity.sso_domains as domain")
    .innerJoin("identity.sso_providers as provider", "provider.id", "domain.provider_id")
    .select("domain")
    .where("domain", "=", emailDomain(email))
    .where("verified_at", "is not", null)
    .where("enforced", "=", true)
    .$if(tenantId !== undefined, (query) => query.where("tenant_id", "=", tenantId ?? ""))
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether mail to the address stays with the tenant: an account of it that may log in has it, or nobody has and the tenant has proven its domain. */
export async function isOwnAddress(queries: Queries, tenantId: string, email: string): Promise<boolean> {
  const account = await findAccountByEmail(queries, email);
  if (account !== undefined) {
    return account.tenantId === tenantId && account.disabledAt === null;
  }
  const proven = await queries
    .selectFrom("identity.sso_domains as domain")
    .innerJoin("identity.sso_providers as provider", "provider.id", "domain.provider_id")
    .select("domain")
    .where("provider.tenant_id", "=", tenantId)
    .where("domain", "=", emailDomain(email))
    .where("verified_at", "is not", null)
    .executeTakeFirst();
  return proven !== undefined;
}

/** The address of an account of the tenant that may log in. */
export async function findOwnAddress(queries: Queries, tenantId: string, id: string): Promise<string | undefined> {
  const account = await findAccount(queries, id);
  return account?.tenantId === tenantId && account.disabledAt === null ? account.email : undefined;
}

/** Those of the ids that no account has; none where there are no accounts at all, as in the database of another installation. */
export async function findGoneAccounts(queries: Queries, ids: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select given.id from unnest(${ids.filter(isUuid)}::uuid[]) as given(id)
    where not exists (select from identity.users as account where account.id = given.id) and exists (select from identity.users)
  `.execute(queries);
  return rows.map(({ id }) => id);
}

/** The domain of an address, as it is stored and compared. */
export function emailDomain(email: string): string {
  return storableText(foldEmail(email)).split("@").at(-1) ?? "";
}

/** Taken to the end of the transaction by everything that makes an account, so that only one account can be the first. */
export async function lockAccountCreation(transaction: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockKey("identity.accounts")})`.execute(transaction);
}

type NewAccount = Pick<
  Insertable<IdentitySchema["identity.users"]>,
  "tenant_id" | "email" | "name" | "role" | "password_hash" | "must_change_password"
>;

export type CreatedAccount = NonNullable<Awaited<ReturnType<typeof insertAccount>>>;

/** @returns undefined when the e-mail address is taken. */
export async function insertAccount(transaction: Transaction, account: NewAccount, now: Date) {
  return transaction
    .insertInto("identity.users")
    .values({ ...account, folded_email: foldEmail(account.email), id: uuidv7(), password_changed_at: now, created_at: now })
    .onConflict((conflict) => conflict.column("folded_email").doNothing())
    .returning(["id", "email", "name", "role", "created_at as createdAt"])
    .executeTakeFirst();
}

/** Locks the account if it still is as it was when its password was verified; false when it has changed since. */
export async function lockVerifiedAccount(transaction: Transaction, { id, epoch, factors }: Account): Promise<boolean> {
  const row = await transaction
    .selectFrom("identity.users")
    .select("id")
    .where("id", "=", id)
    .where("epoch", "=", epoch)
    .where("disabled_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined && isDeepStrictEqual(await findFactors(transaction, id), factors);
}

/** The account's second factors as they are: a statement that waits for the account's row sees what is in other tables as it was before. */
export async function findFactors(queries: Queries, userId: string): Promise<readonly Factor[]> {
  const { factors } = await queries.selectFrom("identity.users as user").select(FACTORS).where("id", "=", userId).executeTakeFirstOrThrow();
  return factors;
}

/** Sets the password and ends what was issued before. */
export async function updatePassword(
  transaction: Transaction,
  { id, passwordHash, now }: { readonly id: string; readonly passwordHash: string; readonly now: Date },
  mustChangePassword = false,
): Promise<void> {
  await transaction
    .updateTable("identity.users")
    .set((expression) => ({
      password_hash: passwordHash,
      password_changed_at: now,
      must_change_password: mustChangePassword,
      epoch: expression("epoch", "+", 1),
      epoch_raised_at: now,
    }))
    .where("id", "=", id)
    .execute();
}

/** Invalidates what was issued before, in every part: access tokens, partial tokens, setup tickets, mailed links. */
export async function raiseEpoch(transaction: Transaction, { id, now }: { readonly id: string; readonly now: Date }): Promise<void> {
  await transaction
    .updateTable("identity.users")
    .set((expression) => ({ epoch: expression("epoch", "+", 1), epoch_raised_at: now }))
    .where("id", "=", id)
    .execute();
}

/** Accounts of one tenant, by the ids or addresses that the caller knows already. */
export async function findPeople(queries: Queries, tenantId: string, ids: readonly string[], emails: readonly string[]) {
  const folded = emails.map((email) => storableText(foldEmail(email)));
  return queries
    .selectFrom("identity.users")
    .select(["id", "email", "name", "disabled_at as disabledAt"])
    .where("tenant_id", "=", tenantId)
    .where(sql<boolean>`(id = any(${ids}::uuid[]) or folded_email = any(${folded}::text[]))`)
    .orderBy("folded_email")
    .execute();
}

/** Somebody who made a credential earlier, as they are now. */
export type Standing = {
  readonly tenantId: string;
  readonly isAdmin: boolean;
  /** Ids of the repositories that are kept to groups, none of them theirs. */
  readonly hidden: readonly string[];
  /** Rights of their groups in projects; a project can be there twice. */
  readonly projects: readonly { readonly id: string; readonly level: "read" | "write" | "admin" }[];
};

/** `undefined` when there is no such account, or it is disabled. */
export async function findStanding(queries: Queries, userId: string): Promise<Standing | undefined> {
  if (!isUuid(userId)) {
    return undefined;
  }
  const isTheirs = sql`group_id in (select group_id from identity.group_members where user_id = "user".id)`;
  return queries
    .selectFrom("identity.users as user")
    .select(["tenant_id as tenantId", sql<boolean>`role = 'admin'`.as("isAdmin")])
    .select([
      sql<string[]>`array(select target from identity.group_rights where tenant_id = "user".tenant_id and kind = 'repository'
        and role <> 'admin' group by target having not bool_or(coalesce(${isTheirs}, false)))`.as("hidden"),
      sql<Standing["projects"]>`coalesce((select json_agg(json_build_object('id', target, 'level', level)) from identity.group_rights
        where tenant_id = "user".tenant_id and kind = 'project' and ${isTheirs}), '[]')`.as("projects"),
    ])
    .where("id", "=", userId)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
}
