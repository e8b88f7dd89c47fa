import { refusal } from "@sightline/foundation/errors";
import type { Selectable } from "kysely";
import type { CredentialKind, CredentialsTable } from "#schema.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

export type CredentialRow = Selectable<CredentialsTable>;

type One = { readonly tenantId: string; readonly id: string };

/** @throws {AppError} `credential_exists` (409) when the tenant has one of that name. */
export async function insertCredential(
  database: CodeIndexDatabase,
  row: Omit<CredentialRow, "last_used_at" | "last_error">,
): Promise<CredentialRow> {
  const inserted = await database.query
    .insertInto("codeindex.credentials")
    .values(row)
    .onConflict((conflict) => conflict.columns(["tenant_id", "name"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (inserted === undefined) {
    throw refusal(409, "credential_exists", `There is a credential named ${row.name} already.`);
  }
  return inserted;
}

type Listing = { readonly tenantId: string; readonly after?: string | undefined; readonly limit: number };

/** A tenant's credentials, newest first; identifiers rise with time. */
export async function listCredentials(database: CodeIndexDatabase, { tenantId, after, limit }: Listing): Promise<readonly CredentialRow[]> {
  return database.query
    .selectFrom("codeindex.credentials")
    .selectAll()
    .where("tenant_id", "=", tenantId)
    .$if(after !== undefined, (query) => query.where("id", "<", after ?? ""))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

export async function getCredential(database: CodeIndexDatabase, { tenantId, id }: One): Promise<CredentialRow | undefined> {
  return database.query
    .selectFrom("codeindex.credentials")
    .selectAll()
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Repositories that chose it fall back to their host's. */
export async function deleteCredential(database: CodeIndexDatabase, { tenantId, id }: One): Promise<CredentialRow | undefined> {
  return database.query
    .deleteFrom("codeindex.credentials")
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

export async function replaceSecret(
  database: CodeIndexDatabase,
  { tenantId, id, sealed }: One & { readonly sealed: string },
): Promise<CredentialRow | undefined> {
  return database.query
    .updateTable("codeindex.credentials")
    .set({ sealed_secret: sealed, last_error: null })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

type Choosing = {
  readonly tenantId: string;
  readonly repoId: string;
  readonly host: string;
  /** Those that suit the address. */
  readonly kinds: readonly CredentialKind[];
};

/** The credential that was chosen for a repository, otherwise its host's newest that suits. */
export async function chooseCredential(
  database: CodeIndexDatabase,
  { tenantId, repoId, host, kinds }: Choosing,
): Promise<CredentialRow | undefined> {
  const chosen = await database.query
    .selectFrom("codeindex.repositories as repository")
    .innerJoin("codeindex.credentials as credential", (join) =>
      join.onRef("credential.id", "=", "repository.credential_id").onRef("credential.tenant_id", "=", "repository.tenant_id"),
    )
    .selectAll("credential")
    .where("repository.tenant_id", "=", tenantId)
    .where("repository.id", "=", repoId)
    .executeTakeFirst();
  return (
    chosen ??
    database.query
      .selectFrom("codeindex.credentials")
      .selectAll()
      .where("tenant_id", "=", tenantId)
      .where("host", "=", host)
      .where("kind", "in", kinds)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .executeTakeFirst()
  );
}

type Use = One & { readonly now: Date; readonly error: string | null; readonly unlessSince: Date };

/** Notes when a credential was used and what came of it, unless the same was noted after `unlessSince`. */
export async function noteCredentialUse(database: CodeIndexDatabase, { tenantId, id, now, error, unlessSince }: Use): Promise<void> {
  await database.query
    .updateTable("codeindex.credentials")
    .set({ last_used_at: now, last_error: error })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .where((where) =>
      where.or([
        where("last_used_at", "is", null),
        where("last_used_at", "<", unlessSince),
        where("last_error", "is distinct from", error),
      ]),
    )
    .execute();
}
