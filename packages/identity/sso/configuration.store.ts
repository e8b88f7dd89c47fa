import { sql } from "kysely";
import { HAS_SECOND_FACTOR, SSO_ONLY } from "#account-facts.ts";
import type { SaveSsoRequest } from "#contract.ts";
import type { Queries, Transaction } from "#schema.ts";

type Saved = SaveSsoRequest & { readonly id: string; readonly tenantId: string; readonly sealedSecret: string };

/** Makes or changes the tenant's provider. */
export async function saveProvider(transaction: Transaction, saved: Saved, now: Date): Promise<void> {
  const { id, tenantId, sealedSecret, domains: _domains, break_glass: _kept, client_secret: _secret, ...rest } = saved;
  const row = { ...rest, client_secret: sealedSecret, updated_at: now };
  await transaction
    .insertInto("identity.sso_providers")
    .values({ ...row, id, tenant_id: tenantId, created_at: now })
    .onConflict((conflict) =>
      conflict
        .column("tenant_id")
        .doUpdateSet((expression) => ({ ...row, revision: expression("identity.sso_providers.revision", "+", 1) })),
    )
    .execute();
}

export async function deleteProvider(transaction: Transaction, tenantId: string): Promise<void> {
  await transaction.deleteFrom("identity.sso_providers").where("tenant_id", "=", tenantId).execute();
  await transaction.deleteFrom("identity.sso_links").where("tenant_id", "=", tenantId).execute();
  await saveBreakGlass(transaction, tenantId, []);
}

/** @returns false unless all of them are active admins of the tenant with a second factor. */
export async function saveBreakGlass(transaction: Transaction, tenantId: string, ids: readonly string[]): Promise<boolean> {
  await transaction
    .updateTable("identity.users")
    .set({ break_glass: sql<boolean>`id = any(${ids}::uuid[])` })
    .where("tenant_id", "=", tenantId)
    .where(sql<boolean>`break_glass <> (id = any(${ids}::uuid[]))`)
    .execute();
  const fit = await transaction
    .selectFrom("identity.users as user")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("break_glass", "=", true)
    .where("role", "=", "admin")
    .where("disabled_at", "is", null)
    .where(HAS_SECOND_FACTOR)
    .execute();
  return fit.length === new Set(ids).size;
}

export async function listBreakGlass(queries: Queries, tenantId: string): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom("identity.users")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("break_glass", "=", true)
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Finds whose sessions end: those that the provider opened, or those of accounts that it alone opens from now on. */
export async function listWithSessions(
  queries: Queries,
  tenantId: string,
  kind: "by_sso" | "against_sso",
  now: Date,
): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom("identity.users as user")
    .innerJoin("identity.sessions as session", "session.user_id", "user.id")
    .select("user.id")
    .distinct()
    .where("tenant_id", "=", tenantId)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .$if(kind === "by_sso", (query) => query.where(sql<boolean>`'sso' = any(session.amr)`))
    .$if(kind === "against_sso", (query) => query.where(sql<boolean>`${SSO_ONLY} and not 'sso' = any(session.amr)`))
    .execute();
  return rows.map(({ id }) => id);
}
