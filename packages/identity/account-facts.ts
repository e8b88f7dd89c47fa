import { sql } from "kysely";
import { NO_PASSWORD } from "#accounts/password-hash.ts";

/** What stores read of an account besides its columns: SQL over a row of identity.users that is named `user` there. */

export const HAS_PASSKEYS = sql<boolean>`exists (select from identity.passkeys where user_id = "user".id)`;

export const PASSKEYS = sql<number>`(select count(*)::int from identity.passkeys where user_id = "user".id)`;

/** Of either kind: an authenticator app, or a passkey. */
export const HAS_SECOND_FACTOR = sql<boolean>`("user".totp_enabled or ${HAS_PASSKEYS})`;

/** Invited, and no password was chosen since. */
export const INVITED = sql<boolean>`("user".password_hash = ${NO_PASSWORD} and "user".password_changed_at = "user".created_at)`.as(
  "invited",
);
