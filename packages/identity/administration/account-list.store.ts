import { likeContaining } from "@sightline/foundation/patterns";
import { sql, type SelectQueryBuilder } from "kysely";
import { storableText } from "#accounts/account.store.ts";
import type { IdentitySchema, Queries, Role } from "#schema.ts";
import { INVITED } from "./managed-account.store.ts";

/** An account as admins see it. */
export type ListedAccount = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  readonly lastLoginAt: Date | null;
  readonly totpEnabled: boolean;
  readonly mustChangePassword: boolean;
  readonly invited: boolean;
  /** The key that the list is sorted by. */
  readonly position: string;
};

export type AccountFilter = {
  readonly tenantId: string;
  readonly search: string | undefined;
  readonly role: Role | undefined;
  /** The `position` of the last account of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
};

/** Sorted by e-mail address, which never changes, so that an account keeps its place while others come and go. */
export async function listAccounts(queries: Queries, { tenantId, search, role, after, limit }: AccountFilter): Promise<ListedAccount[]> {
  return selectListed(queries.selectFrom("identity.users"))
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

export async function findListedAccount(
  queries: Queries,
  { id, tenantId }: { readonly id: string; readonly tenantId: string },
): Promise<ListedAccount | undefined> {
  return selectListed(queries.selectFrom("identity.users")).where("id", "=", id).where("tenant_id", "=", tenantId).executeTakeFirst();
}

type UsersTable = SelectQueryBuilder<IdentitySchema, "identity.users", object>;

function selectListed(users: UsersTable) {
  return users.select([
    "id",
    "email",
    "name",
    "role",
    "created_at as createdAt",
    "disabled_at as disabledAt",
    "last_login_at as lastLoginAt",
    "totp_enabled as totpEnabled",
    "must_change_password as mustChangePassword",
    INVITED,
    sql<string>`lower(email)`.as("position"),
  ]);
}
