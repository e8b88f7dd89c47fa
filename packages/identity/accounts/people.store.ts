import { sql } from "kysely";
import type { Queries } from "#schema.ts";
import { foldEmail } from "./email-address.ts";

export type PersonRow = { readonly id: string; readonly email: string; readonly name: string; readonly disabledAt: Date | null };

/** Accounts of one tenant, by what whoever asks knows of them already. */
export async function findPeople(
  queries: Queries,
  { tenantId, ids, emails }: { readonly tenantId: string; readonly ids: readonly string[]; readonly emails: readonly string[] },
): Promise<readonly PersonRow[]> {
  // PostgreSQL keeps no text with this character, and answers a search for it with an error.
  const folded = emails.map((email) => foldEmail(email).replaceAll("\0", "\uFFFD"));
  return queries
    .selectFrom("identity.users")
    .select(["id", "email", "name", "disabled_at as disabledAt"])
    .where("tenant_id", "=", tenantId)
    .where(sql<boolean>`(id = any(${ids}::uuid[]) or lower(email) = any(${folded}::text[]))`)
    .orderBy(sql`lower(email)`)
    .execute();
}
