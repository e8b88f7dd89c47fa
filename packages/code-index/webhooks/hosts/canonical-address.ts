/**
 * `host/path` of an address that git fetches from, in lower case, whatever its protocol, user and port: hosts name one
 * repository in several ways. The column `repositories.address` is written by the same rule.
 */
export function canonicalAddress(url: string): string {
  return url
    .replace(/^(?:[A-Za-z]+:\/\/)?(?:[^/@]*@)?([^/:]*)(?::[0-9]+(?=\/))?[:/]\/?/, "$1/")
    .replace(/(?:\.git)?\/*$/, "")
    .toLowerCase();
}

const AZURE = /^(?:dev\.azure\.com\/([^/]+)|([^/.]+)\.visualstudio\.com(?:\/defaultcollection)?)(?:\/([^/]+))?\/_git\/([^/]+)$/;

/** The same, and under which other addresses the host has the repository: Azure DevOps' for ssh and its former one look like others. */
export function addressesOf(url: string): readonly string[] {
  const address = canonicalAddress(url);
  const [, organization, former = organization, project, repo = ""] = AZURE.exec(address) ?? [];
  if (former === undefined) {
    return [address];
  }
  const within = project === undefined || project === repo ? [`_git/${repo}`, `${repo}/_git/${repo}`] : [`${project}/_git/${repo}`];
  const hosts = [`dev.azure.com/${former}`, `${former}.visualstudio.com`, `${former}.visualstudio.com/defaultcollection`];
  const byHttp = hosts.flatMap((host) => within.map((path) => `${host}/${path}`));
  return [...new Set([address, ...byHttp, `ssh.dev.azure.com/v3/${former}/${project ?? repo}/${repo}`])];
}
