import type { Queries } from "#schema.ts";

export async function listRaisedEpochs(queries: Queries, since: Date): Promise<readonly { readonly id: string; readonly epoch: number }[]> {
  return queries.selectFrom("identity.users").select(["id", "epoch"]).where("epoch_raised_at", ">", since).orderBy("id").execute();
}

export async function listRevokedSessions(queries: Queries, since: Date): Promise<readonly string[]> {
  const rows = await queries.selectFrom("identity.sessions").select("id").where("revoked_at", ">", since).orderBy("id").execute();
  return rows.map(({ id }) => id);
}
