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
