import { sql, type RawBuilder } from "kysely";
import { NO_PASSWORD } from "#accounts/password-hash.ts";
import type { Factor } from "#contract.ts";

/** Facts of an account besides its columns: SQL over a row of identity.users that is named `user` there. */

/** Whether a second factor of the kind is set up. */
export const IS_SET_UP: Readonly<Record<Factor, RawBuilder<boolean>>> = {
  totp: sql`"user".totp_enabled`,
  passkey: sql`exists (select from identity.passkeys where user_id = "user".id)`,
};

/** The kinds of second factor that are set up, in the order of the contract. */
export const FACTORS = sql<Factor[]>`array_remove(array[${sql.join(
  Object.entries(IS_SET_UP).map(([factor, isSetUp]) => sql`case when ${isSetUp} then ${sql.lit(factor)} end`),
)}], null)`.as("factors");

export const PASSKEYS = sql<number>`(select count(*)::int from identity.passkeys where user_id = "user".id)`;

export const HAS_SECOND_FACTOR = sql<boolean>`(${sql.join(Object.values(IS_SET_UP), sql` or `)})`;

/** When an account's rights end at setting up a second factor; null when they do not. Over a row of identity.policies besides. */
export const SECOND_FACTOR_DUE = sql<Date | null>`case when "user".role = 'admin' and not ${HAS_SECOND_FACTOR} then admins_need_second_factor_from end`;

/** By the contract members have no second factor: a passkey is one that their organization lets them have. Over a row of identity.policies besides. */
export const MAY_ADD_PASSKEYS = sql<boolean>`("user".role = 'admin' or coalesce(members_may_add_passkeys, false))`;

const demandedWhere = (condition: RawBuilder<boolean>) => sql<boolean>`exists (
  select from identity.sso_domains join identity.sso_providers on sso_providers.id = sso_domains.provider_id
  where enforced and ${condition} and sso_providers.tenant_id = "user".tenant_id and domain = substring("user".folded_email from '[^@]*$'))`;

/** Its organization demands company sign-in of its e-mail domain, and has proven that domain. */
export const IN_SSO_DOMAIN = demandedWhere(sql<boolean>`verified_at is not null`);

/** Its organization will demand company sign-in of its e-mail domain once every listed domain is proven. */
export const IN_LISTED_SSO_DOMAIN = demandedWhere(sql<boolean>`true`);

/** Its organization demands company sign-in of it, and it is not kept for emergencies. */
export const SSO_ONLY = sql<boolean>`(not "user".break_glass and ${IN_SSO_DOMAIN})`;

/** Whether company sign-in ever opened it. */
const HAS_SSO = sql<boolean>`exists (select from identity.sso_links where user_id = "user".id)`;

/** Invited, and no password was chosen since. */
export const INVITED = sql<boolean>`("user".password_hash = ${NO_PASSWORD} and "user".password_changed_at = "user".created_at
  and not ${HAS_SSO})`.as("invited");
