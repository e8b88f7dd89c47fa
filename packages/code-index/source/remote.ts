import type { GitSetting } from "./git.ts";
import { checkCloneUrl } from "./clone-url.ts";
import { runGit } from "./git.ts";

/** Where a repository is fetched from, and how. */
export type Remote = {
  readonly cloneUrl: string;
  readonly allowFileUrls?: boolean;
};

/** A remote that git may talk to. */
export type ReachedRemote = {
  /** Runs a command of git's that talks to it; its address is added to the arguments, then `after`. */
  readonly git: (given: readonly string[], after: readonly string[], directory?: string) => Promise<Buffer>;
};

/**
 * Checks a remote's address and lends what git needs to talk to it.
 *
 * @throws {AppError} `invalid_clone_url` (400)
 */
export async function withRemote<Result>(
  { cloneUrl, allowFileUrls = false }: Remote,
  signal: AbortSignal,
  use: (remote: ReachedRemote) => Promise<Result>,
): Promise<Result> {
  // The row may be older than the rule that allows its address.
  const url = checkCloneUrl(cloneUrl, { allowFileUrls });
  const settings: readonly GitSetting[] = [];
  return use({
    git: ([command = "", ...flags], after, directory) =>
      runGit({
        arguments: [command, ...flags, ...remoteProgram(url), "--end-of-options", url, ...after],
        ...(directory === undefined ? {} : { directory }),
        settings,
        allowFileUrls,
        signal,
      }),
  });
}

/**
 * A local repository is served by a git that takes no settings from ours, and refuses one that
 * belongs to somebody else; here the operator has allowed such addresses.
 */
function remoteProgram(url: string): readonly string[] {
  return url.startsWith("file:") ? ["--upload-pack=git -c safe.directory=* upload-pack"] : [];
}
