import { WEBHOOK_HOSTS } from "@sightline/code-index/contract";

/** The page of a commit at the host of a repository; `undefined` where none is known. */
export function toHostLink(cloneUrl: string, commit: string): string | undefined {
  const address = cloneUrl.replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, "https://$1/").replace(/(?:\.git)?\/*$/, "");
  if (!/^https:\/\/[^/@]+\/.+/.test(address)) {
    return undefined;
  }
  const { host } = new URL(address);
  const { commitPath } = Object.values(WEBHOOK_HOSTS).find(({ domain }) => domain?.test(host)) ?? WEBHOOK_HOSTS.generic;
  return `${address}/${commitPath}/${commit}`;
}
