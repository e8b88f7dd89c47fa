import type { Queries } from "#schema.ts";

/** What whoever made a credential long ago is now. */
export type Standing = { readonly tenantId: string; readonly isAdmin: boolean };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `undefined` when there is no such account, or it is disabled. */
export async function findStanding(queries: Queries, userId: string): Promise<Standing | undefined> {
  if (!UUID.test(userId)) {
    return undefined;
  }
  const row = await queries
    .selectFrom("identity.users")
    .select(["tenant_id", "role"])
    .where("id", "=", userId)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  return row === undefined ? undefined : { tenantId: row.tenant_id, isAdmin: row.role === "admin" };
}
