import { likeContaining } from "@sightline/foundation/patterns";
import { sql } from "kysely";
import { storableText } from "#accounts/account.store.ts";
import type { Queries, Role } from "#schema.ts";
import { INVITED } from "./managed-account.store.ts";

/** An account as admins see it. */
export type ListedAccount = NonNullable<Awaited<ReturnType<typeof findListedAccount>>>;

type AccountFilter = {
  readonly tenantId: string;
  readonly search: string | undefined;
  readonly role: Role | undefined;
  /** The `position` of the last account of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
};

/** Sorted by e-mail address, which never changes, so that an account keeps its place while others come and go. */
export async function listAccounts(queries: Queries, { tenantId, search, role, after, limit }: AccountFilter) {
  return selectListed(queries)
    .where("tenant_id", "=", tenantId)
    .$if(role !== undefined, (query) => query.where("role", "=", role ?? "member"))
    .$if(search !== undefined, (query) => {
      const pattern = likeContaining(storableText(search ?? ""));
      return query.where((expression) => expression.or([expression("name", "ilike", pattern), expression("email", "ilike", pattern)]));
    })
    .$if(after !== undefined, (query) => query.where(sql`lower(email)`, ">", storableText(after ?? "")))
    .orderBy(sql`lower(email)`)
    .limit(limit)
    .execute();
}

export async function findListedAccount(queries: Queries, { id, tenantId }: { readonly id: string; readonly tenantId: string }) {
  return selectListed(queries).where("id", "=", id).where("tenant_id", "=", tenantId).executeTakeFirst();
}

function selectListed(queries: Queries) {
  return queries.selectFrom("identity.users").select([
    "id",
    "email",
    "name",
    "role",
    "created_at",
    "disabled_at",
    "last_login_at",
    "totp_enabled",
    "must_change_password",
    INVITED,
    // The key that the list is sorted by.
    sql<string>`lower(email)`.as("position"),
  ]);
}
