import { sql, type RawBuilder } from "kysely";
import type { Queries } from "#schema.ts";

/** A tenant's provider as it is stored; the secret is sealed. */
export type Provider = NonNullable<Awaited<ReturnType<typeof findProvider>>>;

const domainsWhere = (condition: RawBuilder<boolean>) =>
  sql<string[]>`array(select domain from identity.sso_domains where provider_id = provider.id and ${condition} order by domain)`;

/** The domains that the tenant listed, and which of them it has proven to be its own. */
const DOMAINS = [
  domainsWhere(sql<boolean>`true`).as("domains"),
  domainsWhere(sql<boolean>`verified_at is not null`).as("provenDomains"),
] as const;

const COLUMNS = [
  "id",
  "tenant_id as tenantId",
  "name",
  "issuer",
  "client_id as clientId",
  "client_secret as sealedSecret",
  "scopes",
  "role_claim as roleClaim",
  "admin_values as adminValues",
  "member_values as memberValues",
  "default_role as defaultRole",
  "creates_accounts as createsAccounts",
  "enforced",
  "asks_second_factor as asksSecondFactor",
  "vouches_for_addresses as vouchesForAddresses",
  "revision",
  "updated_at as updatedAt",
  "last_login_at as lastLoginAt",
] as const;

export async function findProvider(queries: Queries, id: string) {
  return queries
    .selectFrom("identity.sso_providers as provider")
    .select([...COLUMNS, ...DOMAINS])
    .where("id", "=", id)
    .executeTakeFirst();
}

export async function findProviderOf(queries: Queries, tenantId: string): Promise<Provider | undefined> {
  return queries
    .selectFrom("identity.sso_providers as provider")
    .select([...COLUMNS, ...DOMAINS])
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
}

/**
 * The provider of the tenant that has proven the domain; without a domain that of the only tenant, so that nobody else is shown an
 * organization's name.
 */
export async function listOffered(queries: Queries, domain: string | undefined) {
  return queries
    .selectFrom("identity.sso_providers as provider")
    .select(["id", "name", domain === undefined ? sql<boolean>`false`.as("required") : "enforced as required"])
    .where("id", "in", (ids) =>
      ids
        .selectFrom("identity.sso_domains")
        .select("provider_id")
        .where("verified_at", "is not", null)
        .$if(domain !== undefined, (query) => query.where("domain", "=", domain ?? "")),
    )
    .$if(domain === undefined, (query) => query.where(sql<boolean>`(select count(*) from identity.tenants) = 1`))
    .limit(1)
    .execute();
}

/** @returns false when it was changed or removed since. */
export async function noteSsoLogin(queries: Queries, { id, revision }: Provider, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("identity.sso_providers")
    .set({ last_login_at: now })
    .where("id", "=", id)
    .where("revision", "=", revision)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
