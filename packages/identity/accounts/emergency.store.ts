import { sql } from "kysely";
import { HAS_SECOND_FACTOR, IN_LISTED_SSO_DOMAIN, IS_SET_UP } from "#account-facts.ts";
import type { Queries } from "#schema.ts";
import { NO_PASSWORD } from "./password-hash.ts";

/** An active admin who gets in without the company's provider, second factor and all, also once every listed domain is proven. */
const GETS_IN = sql<boolean>`("user".role = 'admin' and "user".disabled_at is null and ${HAS_SECOND_FACTOR}
  and ("user".password_hash <> ${NO_PASSWORD} or ${IS_SET_UP.passkey}) and ("user".break_glass or not ${IN_LISTED_SSO_DOMAIN}))`;

/**
 * Whether somebody could still get in when the provider fails: always where the organization does not demand it.
 *
 * @param without an account that is about to stop to count.
 */
export async function keepsEmergencyAdmin(queries: Queries, tenantId: string, without?: string): Promise<boolean> {
  const demanded = await queries
    .selectFrom("identity.sso_providers")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("enforced", "=", true)
    .executeTakeFirst();
  if (demanded === undefined) {
    return true;
  }
  const found = await queries
    .selectFrom("identity.users as user")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where(GETS_IN)
    .$if(without !== undefined, (query) => query.where("id", "!=", without ?? ""))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
