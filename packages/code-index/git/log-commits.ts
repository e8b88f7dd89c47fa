import type { Readable } from "node:stream";
import { startGit } from "./git.ts";
import type { History } from "./history.ts";
import { SourceError } from "./source-error.ts";

type Logging<Logged> = {
  /** What git prints of a commit itself. */
  readonly format: string;
  /** What else it is to tell. */
  readonly options: readonly string[];
  readonly parse: (printed: Readable) => AsyncIterable<Logged>;
  readonly signal: AbortSignal;
};

/** Has one git process tell of commits of a history, in the order asked for. @throws {SourceError} when it leaves one out. */
export async function* logCommits<Logged extends { readonly commit: string }>(
  { directory }: Pick<History, "directory">,
  commits: readonly string[],
  { format, options, parse, signal }: Logging<Logged>,
): AsyncGenerator<Logged, void, undefined> {
  if (commits.length === 0) {
    return;
  }
  const { child, ended, stop } = startGit({
    arguments: [
      "log",
      "--no-walk=unsorted",
      "--stdin",
      "-z",
      "--no-show-signature",
      "--no-color",
      `--format=tformat:${format}`,
      ...options,
    ],
    directory,
    signal,
  });
  try {
    child.stdin.end(commits.map((commit) => `${commit}\n`).join(""));
    let count = 0;
    for await (const logged of parse(child.stdout)) {
      if (logged.commit !== commits[count]) {
        break;
      }
      count++;
      yield logged;
    }
    await ended;
    if (count < commits.length) {
      throw new SourceError("git did not tell of all commits of the history.", { transient: true });
    }
  } finally {
    stop();
  }
}
