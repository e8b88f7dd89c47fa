import { randomBytes } from "node:crypto";
import { lockKey } from "@sightline/foundation/database/advisory-lock";
import { sql } from "kysely";
import type { Queries, Transaction } from "#schema.ts";

/** A domain that a tenant listed, with its proof. */
export type StoredDomain = NonNullable<Awaited<ReturnType<typeof findDomain>>>;

const TOKEN_BYTES = 20;

function domains(queries: Queries) {
  return queries
    .selectFrom("identity.sso_domains as listed")
    .innerJoin("identity.sso_providers as provider", "provider.id", "listed.provider_id")
    .select([
      "listed.provider_id as providerId",
      "provider.tenant_id as tenantId",
      "provider.enforced",
      "listed.domain",
      "listed.token",
      "listed.verified_at as verifiedAt",
      "listed.missing_since as missingSince",
      "listed.checked_at as checkedAt",
      "listed.check_at as checkAt",
      "listed.problem",
    ]);
}

export async function findDomain(queries: Queries, tenantId: string, domain: string) {
  return domains(queries).where("provider.tenant_id", "=", tenantId).where("listed.domain", "=", domain).executeTakeFirst();
}

export async function listDomains(queries: Queries, tenantId: string): Promise<readonly StoredDomain[]> {
  return domains(queries).where("provider.tenant_id", "=", tenantId).orderBy("listed.domain").execute();
}

/** The one of all tenants for which the domain counts. */
export async function findVerified(queries: Queries, domain: string): Promise<StoredDomain | undefined> {
  return domains(queries).where("listed.domain", "=", domain).where("listed.verified_at", "is not", null).executeTakeFirst();
}

/** Taken to the end of the transaction by whatever changes whose a domain is: it counts for one tenant at a time. */
export async function lockDomain(transaction: Transaction, domain: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockKey("identity.sso_domains", domain)})`.execute(transaction);
}

/** Lists the domains anew; those that stay keep token and proof. @returns what came and what went. */
export async function saveDomains(transaction: Transaction, providerId: string, listed: readonly string[]) {
  const gone = await transaction
    .deleteFrom("identity.sso_domains")
    .where("provider_id", "=", providerId)
    .where(sql<boolean>`domain <> all(${[...listed]}::text[])`)
    .returning("domain")
    .execute();
  const made = await transaction
    .insertInto("identity.sso_domains")
    .values([...new Set(listed)].map((domain) => ({ domain, provider_id: providerId, token: randomBytes(TOKEN_BYTES).toString("hex") })))
    .onConflict((conflict) => conflict.doNothing())
    .returning("domain")
    .execute();
  return { added: made.map(({ domain }) => domain), removed: gone.map(({ domain }) => domain) };
}

export async function updateProof(
  transaction: Transaction,
  { providerId, domain, verifiedAt, missingSince, checkAt, problem }: StoredDomain,
  now: Date,
): Promise<void> {
  await transaction
    .updateTable("identity.sso_domains")
    .set({ verified_at: verifiedAt, missing_since: missingSince, check_at: checkAt, checked_at: now, problem })
    .where("provider_id", "=", providerId)
    .where("domain", "=", domain)
    .execute();
}

export type DueDomain = { readonly tenantId: string; readonly domain: string };

/** Takes domains whose check is due, so that no other replica takes them before `leaseEnd`. */
export async function claimDueDomains(
  queries: Queries,
  { now, leaseEnd, limit }: { readonly now: Date; readonly leaseEnd: Date; readonly limit: number },
): Promise<readonly DueDomain[]> {
  return queries
    .updateTable("identity.sso_domains as listed")
    .from((due) =>
      due
        .selectFrom("identity.sso_domains")
        .select(["provider_id", "domain"])
        .where("check_at", "<=", now)
        .orderBy("check_at")
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .as("due"),
    )
    .innerJoin("identity.sso_providers as provider", "provider.id", "due.provider_id")
    .set({ check_at: leaseEnd })
    .whereRef("listed.provider_id", "=", "due.provider_id")
    .whereRef("listed.domain", "=", "due.domain")
    .returning(["listed.domain", "provider.tenant_id as tenantId"])
    .execute();
}
