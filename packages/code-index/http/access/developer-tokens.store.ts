import { sql, type Selectable } from "kysely";
import { v7 as newId } from "uuid";
import type { DeveloperTokensTable } from "#schema.ts";
import { tenantSchema, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";
import { createHash, randomBytes } from "node:crypto";

export type DeveloperTokenRow = Selectable<DeveloperTokensTable>;

export const TOKEN_PREFIX = "codeindex_";

/** The beginning of a token that is kept, so that people can tell their tokens apart. */
const SHOWN = TOKEN_PREFIX.length + 6;

type NewToken = {
  readonly tenantId: string;
  readonly label: string;
  /** All of the tenant when left out. */
  readonly repositories?: readonly string[] | null;
  readonly createdBy: string;
  readonly now: Date;
} & {
  /** What it opens beside code; not when left out. */
  readonly [right in "traces" | "evaluation" | "uploads"]?: boolean;
};

/** `token` is shown to its owner once, and kept nowhere. */
export async function createDeveloperToken(
  database: CodeIndexDatabase,
  given: NewToken,
): Promise<{ readonly token: string; readonly row: DeveloperTokenRow }> {
  const token = TOKEN_PREFIX + randomBytes(32).toString("base64url");
  const row = await database.query
    .insertInto("codeindex.developer_tokens")
    .values({
      id: newId(),
      tenant_id: given.tenantId,
      token_hash: hashToken(token),
      token_prefix: token.slice(0, SHOWN),
      label: given.label,
      repositories: given.repositories ?? null,
      traces: given.traces ?? false,
      evaluation: given.evaluation ?? false,
      uploads: given.uploads ?? false,
      created_by: given.createdBy,
      created_at: given.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { token, row };
}

type Listing = { readonly tenantId: string; readonly after?: string | undefined; readonly limit: number };

/** A tenant's tokens, newest first, revoked ones with them; identifiers rise with time. */
export async function listTokens(database: CodeIndexDatabase, { tenantId, after, limit }: Listing): Promise<readonly DeveloperTokenRow[]> {
  return database.query
    .selectFrom("codeindex.developer_tokens")
    .selectAll()
    .where("tenant_id", "=", tenantId)
    .$if(after !== undefined, (query) => query.where("id", "<", after ?? ""))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/** Revokes a token; one that was revoked before keeps its time. `undefined` when the tenant has no such token. */
export async function revokeToken(
  database: CodeIndexDatabase,
  { tenantId, id, now }: { readonly tenantId: string; readonly id: string; readonly now: Date },
): Promise<DeveloperTokenRow | undefined> {
  return database.query
    .updateTable("codeindex.developer_tokens")
    .set({ revoked_at: sql`coalesce(revoked_at, ${now})` })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** The token with this hash, and its tenant, unless it is revoked or its tenant is being deleted. */
export async function findLiveToken(
  database: CodeIndexDatabase,
  hash: string,
): Promise<{ readonly token: DeveloperTokenRow; readonly tenant: Tenant } | undefined> {
  const row = await database.query
    .selectFrom("codeindex.developer_tokens as token")
    .innerJoin("codeindex.tenants as tenant", "tenant.tenant_id", "token.tenant_id")
    .selectAll("token")
    .select(["tenant.name", "tenant.database_role"])
    .where("token.token_hash", "=", hash)
    .where("token.revoked_at", "is", null)
    .where("tenant.deleting_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) {
    return undefined;
  }
  const { name, database_role: role, ...token } = row;
  return { token, tenant: { tenantId: token.tenant_id, name, schema: tenantSchema(name), role } };
}

export async function listRepositoryIds({ query }: CodeIndexDatabase, tenantId: string): Promise<readonly string[]> {
  const rows = await query.selectFrom("codeindex.repositories").select("id").where("tenant_id", "=", tenantId).execute();
  return rows.map(({ id }) => id);
}

/** Notes when a token was used, unless it was noted after `unlessSince`. */
export async function touchToken(
  database: CodeIndexDatabase,
  { id, now, unlessSince }: { readonly id: string; readonly now: Date; readonly unlessSince: Date },
): Promise<void> {
  await database.query
    .updateTable("codeindex.developer_tokens")
    .set({ last_used_at: now })
    .where("id", "=", id)
    .where((where) => where.or([where("last_used_at", "is", null), where("last_used_at", "<", unlessSince)]))
    .execute();
}

/** 256 random bits need no slow hash: nobody can guess one. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
