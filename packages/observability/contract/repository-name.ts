/**
 * Returns the name of a repository in the code index, `owner/name`. Producers know it by git's remote, which has the
 * host before it (`github.com/owner/name`).
 */
export function repositoryName(repo: string): string {
  const parts = repo.split("/").filter((part) => part !== "");
  return parts.slice(-2).join("/");
}
