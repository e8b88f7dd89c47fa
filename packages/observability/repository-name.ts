/**
 * The name by which a repository is registered in the code index, `owner/name`, of one as producers know it: what git's remote is called
 * has the host before it (`github.com/owner/name`).
 */
export function repositoryName(repo: string): string {
  const parts = repo.split("/").filter((part) => part !== "");
  return parts.slice(-2).join("/");
}
