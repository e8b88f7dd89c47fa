import { execFile } from "node:child_process";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The git checkout the demo indexes. */
export type Checkout = {
  readonly fullName: string;
  readonly cloneUrl: string;
  readonly commit: string;
};

/** Finds the checkout of a folder; undefined when it is none, as an unpacked archive is. */
export async function findCheckout(folder: string): Promise<Checkout | undefined> {
  const root = await git(folder, "rev-parse", "--show-toplevel");
  const commit = await git(folder, "rev-parse", "HEAD");
  if (root === undefined || commit === undefined) {
    return undefined;
  }
  const remote = await git(folder, "remote", "get-url", "origin");
  return { fullName: repositoryName(remote) ?? `local/${legal(basename(root))}`, cloneUrl: pathToFileURL(root).href, commit };
}

/** The branch that is checked out; undefined where a commit is, as on most CI. */
export async function findBranch(folder: string): Promise<string | undefined> {
  return git(folder, "symbolic-ref", "--short", "HEAD");
}

/** Reads `owner/repo`, the last two parts of a remote's address. */
function repositoryName(remote: string | undefined): string | undefined {
  const [, owner, repo] = /([^/:\s]+)\/([^/\s]+?)(?:\.git)?\/?$/.exec(remote ?? "") ?? [];
  return owner === undefined || repo === undefined ? undefined : `${legal(owner)}/${legal(repo)}`;
}

function legal(word: string): string {
  const cleaned = word.replaceAll(/[^A-Za-z0-9_.-]/g, "-").replace(/^[.-]+/, "");
  return cleaned === "" ? "repository" : cleaned;
}

async function git(folder: string, ...words: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run("git", ["-C", folder, ...words], { timeout: 10_000 });
    return stdout.trim() === "" ? undefined : stdout.trim();
  } catch {
    return undefined;
  }
}
