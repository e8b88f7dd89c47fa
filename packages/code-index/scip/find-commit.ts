import { refusal } from "@sightline/foundation/errors";
import { changedSince } from "#retrieval/commits/changed-since.ts";
import { indexedBranches, repositoriesInScope, type Access, type TenantQuery } from "#store/tenancy/read-scope.store.ts";

/** The branch of an uploaded commit, and the paths that were changed between it and what is indexed now. */
export type KnownCommit = { readonly ref: string; readonly changed: ReadonlySet<string> };

const MAX_BRANCHES = 100;

/** `branch`: the only one to look at. @throws {AppError} `commit_not_found` (404) */
export async function findCommit(
  query: TenantQuery,
  access: Access,
  { repo, commit, branch }: { readonly repo: string; readonly commit: string; readonly branch?: string | undefined },
): Promise<KnownCommit> {
  const heads: { ref: string; head: string }[] = [];
  const branches = await indexedBranches(query, { ...access, repo }, MAX_BRANCHES);
  for (const ref of branches.filter((one) => branch === undefined || one === branch)) {
    const [build] = await repositoriesInScope(query, { ...access, repo, ref });
    heads.push(...(typeof build?.commit === "string" ? [{ ref, head: build.commit }] : []));
  }
  for (const { ref, head } of heads.toSorted((one, other) => Number(other.head === commit) - Number(one.head === commit))) {
    const changed = await changedSince(query, { ...access, repo, ref }, { commit, head });
    if (changed !== undefined) {
      return { ref, changed };
    }
  }
  throw refusal(
    404,
    "commit_not_found",
    `${repo} has no commit ${commit} on ${branch === undefined ? "an indexed branch" : `the branch ${branch} of this job, or that is not indexed`}, or it is not indexed yet, or too old; a push is indexed within seconds.`,
  );
}
