import { sql } from "kysely";
import { findFactors, foldEmail } from "#accounts/account.store.ts";
import type { Queries, Transaction } from "#schema.ts";
import type { Person } from "./person.ts";

type PersonQuery = Pick<Person, "named" | "email">;

/**
 * The account of the tenant, and of no other, that is linked with the person; where none is, the one with the address. That may be
 * somebody else's at the same provider, since addresses are given to new people.
 */
export async function findSsoAccount(queries: Queries, tenantId: string, person: PersonQuery) {
  return selectSsoAccounts(queries, tenantId, person).executeTakeFirst();
}

/** Finds that account, and locks it to the end of the transaction. */
export async function lockSsoAccount(transaction: Transaction, tenantId: string, person: PersonQuery) {
  const account = await selectSsoAccounts(transaction, tenantId, person).forUpdate().executeTakeFirst();
  return account === undefined ? undefined : { ...account, factors: await findFactors(transaction, account.id) };
}

function selectSsoAccounts(queries: Queries, tenantId: string, { named: { issuer, subject }, email }: PersonQuery) {
  const linked = sql<boolean>`exists (select from identity.sso_links where tenant_id = ${tenantId} and issuer = ${issuer}
    and subject = ${subject} and user_id = "user".id)`;
  const anybodyLinked = sql<boolean>`exists (select from identity.sso_links where tenant_id = ${tenantId} and issuer = ${issuer}
    and subject = ${subject})`;
  return queries
    .selectFrom("identity.users as user")
    .select([
      "id",
      "tenant_id as tenantId",
      "role",
      "epoch",
      "disabled_at as disabledAt",
      "break_glass as breakGlass",
      sql<boolean>`exists (select from identity.sso_links where user_id = "user".id and issuer = ${issuer} and subject <> ${subject})`.as(
        "isSomebodyElses",
      ),
    ])
    .where("tenant_id", "=", tenantId)
    .where((either) =>
      either.or([linked, either.and([sql<boolean>`not ${anybodyLinked}`, sql<boolean>`folded_email = ${foldEmail(email)}`])]),
    );
}
