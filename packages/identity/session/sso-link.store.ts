import { refusal } from "#refusals.ts";
import type { Queries, Transaction } from "#schema.ts";

/** A person as a provider names them. */
export type NamedPerson = { readonly issuer: string; readonly subject: string };

type Link = NamedPerson & { readonly tenantId: string; readonly userId: string };

/**
 * Links an account of the tenant with a person at the provider; once linked they stay so.
 *
 * @returns whether they were not before.
 * @throws {AppError} 403 `sso_other_person` when either belongs to another already.
 */
export async function linkPerson(transaction: Transaction, { tenantId, userId, issuer, subject }: Link, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows: made = 0n } = await transaction
    .insertInto("identity.sso_links")
    .columns(["tenant_id", "issuer", "subject", "user_id", "created_at"])
    .expression((select) =>
      select
        .selectFrom("identity.users")
        .select((row) => [
          "tenant_id",
          row.val(issuer).as("issuer"),
          row.val(subject).as("subject"),
          "id",
          row.cast<Date>(row.val(now), "timestamptz").as("created_at"),
        ])
        .where("id", "=", userId)
        .where("tenant_id", "=", tenantId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  const linked = await findLinkedUser(transaction, { tenantId, issuer, subject });
  if (linked !== userId) {
    throw refusal("sso_other_person");
  }
  return made > 0n;
}

async function findLinkedUser(queries: Queries, { tenantId, issuer, subject }: Omit<Link, "userId">): Promise<string | undefined> {
  const row = await queries
    .selectFrom("identity.sso_links")
    .select("user_id")
    .where("tenant_id", "=", tenantId)
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row?.user_id;
}
