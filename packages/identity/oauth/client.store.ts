import type { Queries } from "#schema.ts";

export type ClientMetadata = Readonly<Record<string, unknown>>;

type NewClient = { readonly id: string; readonly metadata: ClientMetadata; readonly now: Date; readonly expiresAt: Date };

export async function insertClient(queries: Queries, { id, metadata, now, expiresAt }: NewClient): Promise<void> {
  await queries
    .insertInto("identity.oauth_clients")
    .values({ id, metadata: JSON.stringify(metadata), created_at: now, expires_at: expiresAt })
    .execute();
}

export async function findClient(queries: Queries, id: string, now: Date): Promise<ClientMetadata | undefined> {
  const row = await queries
    .selectFrom("identity.oauth_clients")
    .select("metadata")
    .where("id", "=", id)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return row?.metadata;
}

/** Keeps a client that is used for longer. One that was let in stays until its grants are over. */
export async function keepClientUntil(queries: Queries, id: string, until: Date): Promise<void> {
  await queries
    .updateTable("identity.oauth_clients")
    .set({ expires_at: until })
    .where("id", "=", id)
    .where("expires_at", "<", until)
    .execute();
}

export async function deleteExpiredClients(queries: Queries, now: Date): Promise<void> {
  await queries.deleteFrom("identity.oauth_clients").where("expires_at", "<=", now).execute();
}
