import { createHash } from "node:crypto";
import { runGit } from "#git/git.ts";
import type { History } from "#git/history.ts";
import { createIgnore } from "#indexing/build/ignore.ts";
import { skipUnread } from "#indexing/build/skip.ts";
import { decode } from "#splitting/decode.ts";

export type ChangeRules = {
  /** Why the changes of a path are not kept: what is kept out of the index by a rule stays out of the history, too. */
  readonly leftOut: (path: string) => string | undefined;
  /** Differs when the rules do. */
  readonly identity: string;
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
  const identity = createHash("sha256")
    .update(JSON.stringify([include, exclude, sightlineignore]))
    .digest("base64");
  return { leftOut, identity };
}
