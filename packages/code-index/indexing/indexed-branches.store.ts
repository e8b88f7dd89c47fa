import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** Every repository of every tenant by its id, with the branches that are indexed or wait for it. */
export async function listIndexedBranches(database: CodeIndexDatabase): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await database.query
    .selectFrom("codeindex.repositories as repository")
    .leftJoin("codeindex.refs as ref", "ref.repo_id", "repository.id")
    .select(["repository.id", "repository.default_branch", "repository.branches", "ref.name"])
    .execute();
  const branches = new Map<string, Set<string>>();
  for (const { id, name, default_branch: main, branches: wanted } of rows) {
    const known = branches.get(id) ?? new Set([...wanted, ...(main === null ? [] : [main])]);
    if (name !== null) {
      known.add(name);
    }
    branches.set(id, known);
  }
  return new Map([...branches].map(([id, names]) => [id, [...names]]));
}
