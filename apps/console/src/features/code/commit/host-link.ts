/** The page of a commit at the host of a repository, as GitHub, GitLab, Gitea and Bitbucket have it; `undefined` where none is known. */
export function hostLinkOf(cloneUrl: string, commit: string): string | undefined {
  const address = cloneUrl.replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, "https://$1/").replace(/(?:\.git)?\/*$/, "");
  if (!/^https:\/\/[^/@]+\/.+/.test(address)) {
    return undefined;
  }
  const { host } = new URL(address);
  const place = host === "bitbucket.org" ? "commits" : host.includes("gitlab") ? "-/commit" : "commit";
  return `${address}/${place}/${commit}`;
}
