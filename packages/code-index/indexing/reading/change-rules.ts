import { runGit } from "#git/git.ts";
import type { History } from "#git/history.ts";
import { createIgnore } from "#indexing/build/ignore.ts";
import { skipUnread } from "#indexing/build/skip.ts";
import { decode } from "#splitting/decode.ts";

export type ChangeRules = {
  /** Why the changes of a path are not told: what is kept out of the index by a rule is told of at no commit. */
  readonly leftOut: (path: string) => string | undefined;
};

type Repository = { readonly include: readonly string[]; readonly exclude: readonly string[] };

/** The rules of a repository and of the newest commit of its history. */
export async function readChangeRules(
  { directory, commits }: Pick<History, "directory" | "commits">,
  { include, exclude }: Repository,
  signal: AbortSignal,
): Promise<ChangeRules> {
  const printed = await runGit({ arguments: ["cat-file", "--batch"], directory, signal }, `${commits[0] ?? ""}:.sightlineignore\n`);
  const isThere = / blob \d+$/.test(printed.toString("latin1", 0, Math.max(printed.indexOf(10), 0)));
  const sightlineignore = isThere ? decode(printed.subarray(printed.indexOf(10) + 1, -1)).text : undefined;
  const ignored = createIgnore({ sightlineignore, include, exclude });
  const known = new Map<string, string | undefined>();
  const leftOut = (path: string) => {
    if (!known.has(path)) {
      known.set(path, skipUnread({ path, kind: "file", blob: "", bytes: 0 }) ?? ignored(path));
    }
    return known.get(path);
  };
  return { leftOut };
}
