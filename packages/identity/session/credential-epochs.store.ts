import type { Queries } from "#schema.ts";

export async function listRaisedEpochs(queries: Queries, since: Date): Promise<readonly { readonly id: string; readonly epoch: number }[]> {
  return queries.selectFrom("identity.users").select(["id", "epoch"]).where("epoch_raised_at", ">", since).orderBy("id").execute();
}

/** A deleted account is known from the audit alone. */
export async function listDeletedUsers(queries: Queries, since: Date): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom("identity.audit")
    .select("user_id as id")
    .distinct()
    .where("event", "=", "user_deleted")
    .where("at", ">", since)
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id).filter((id) => id !== null);
}

/** Sessions that ended, and grants of apps that were revoked: both are the `sid` of access tokens. */
export async function listRevokedSessions(queries: Queries, since: Date): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom("identity.sessions")
    .select("id")
    .where("revoked_at", ">", since)
    .unionAll(queries.selectFrom("identity.oauth_grants").select("id").where("revoked_at", ">", since))
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}
