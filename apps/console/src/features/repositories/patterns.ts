import { WEBHOOK_HOSTS } from "@sightline/code-index/contract";

/** Lines of a field as a list; empty ones don't count. */
export function splitLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/**
 * An address that is pasted where a name is asked for gives both; `owner/repo` are the last two parts of its path, without Azure DevOps' `_git`, of
 * whose https addresses the user is the organization. GitLab's names have all groups.
 */
export function pastedAddress(text: string): { readonly name: string; readonly cloneUrl: string } | undefined {
  const cloneUrl = text.trim().replace(/^(https:\/\/)[\w.-]+@(?=dev\.azure\.com\/)/, "$1");
  const { host = "", path = "" } = ADDRESS.exec(cloneUrl)?.groups ?? {};
  const parts = path.split("/").filter((part) => part !== "_git");
  const name = parts.slice(WEBHOOK_HOSTS.gitlab.domain?.test(host) === true ? 0 : -2).join("/");
  return NAME.test(name) ? { name, cloneUrl } : undefined;
}

const ADDRESS = /^(?:(?:https|ssh):\/\/|[\w.-]+@(?=[\w.-]+:[^/\d]))(?<host>[^\s/:]+(?::\d+)?)[:/](?<path>\S+?)(?:\.git)?\/?$/;
const NAME = /^[\w.-]+(?:\/[\w.-]+)+$/;

/** Branches may stand on one line. */
export function splitNames(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== "");
}
