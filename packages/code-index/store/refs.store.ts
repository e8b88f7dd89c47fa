import type { CodeIndexDatabase } from "./tenant.ts";

type Branch = { readonly tenantId: string; readonly repoId: string; readonly ref: string };

/** What searches see of a branch; `undefined` before it was indexed. */
export async function findLive(
  database: CodeIndexDatabase,
  { tenantId, repoId, ref }: Branch,
): Promise<{ readonly generation: number; readonly commit: string | null } | undefined> {
  const row = await database.query
    .selectFrom("codeindex.refs")
    .select(["generation", "indexed_commit"])
    .where("tenant_id", "=", tenantId)
    .where("repo_id", "=", repoId)
    .where("name", "=", ref)
    .executeTakeFirst();
  return row === undefined || row.generation === null ? undefined : { generation: row.generation, commit: row.indexed_commit };
}
