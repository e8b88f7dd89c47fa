import { runGit } from "#git/git.ts";
import type { History } from "#git/history.ts";
import { createIgnore, readAttributes } from "./ignore.ts";
import { skipUnread } from "./skip.ts";
import { decode } from "#splitting/decode.ts";
import { toUtf8, type Recoded } from "#splitting/to-utf8.ts";

export type ChangeRules = {
  /** Why the changes of a path are not told: what is kept out of the index by a rule is told of at no commit. */
  readonly leftOut: (path: string) => string | undefined;
  /** The text of a file, or of a change of it. */
  readonly textOf: (path: string, written: Buffer) => WrittenText;
};

type WrittenText = { readonly text: string } & Pick<Recoded, "encoding" | "isGuess">;

type Repository = { readonly include: readonly string[]; readonly exclude: readonly string[] };

/** The rules of a repository and of the newest commit of its history, which count at each commit. */
export async function readChangeRules(
  { directory, commits }: Pick<History, "directory" | "commits">,
  { include, exclude }: Repository,
  signal: AbortSignal,
): Promise<ChangeRules> {
  const names = [".sightlineignore", ".gitattributes"].map((name) => `${commits[0] ?? ""}:${name}\n`).join("");
  const printed = await runGit({ arguments: ["cat-file", "--batch"], directory, signal }, names);
  const [sightlineignore, gitattributes] = textsOf(printed);
  const ignored = createIgnore({ sightlineignore, include, exclude });
  const known = new Map<string, string | undefined>();
  const leftOut = (path: string) => {
    if (!known.has(path)) {
      known.set(path, skipUnread({ path, kind: "file", blob: "", bytes: 0 }) ?? ignored(path));
    }
    return known.get(path);
  };
  const { encodingOf } = readAttributes(gitattributes ?? "");
  const textOf = (path: string, written: Buffer) => {
    const { content, ...told } = toUtf8(written, encodingOf(path));
    return { text: decode(content).text, ...told };
  };
  return { leftOut, textOf };
}

/** Of the two that `git cat-file --batch` was asked for. */
function textsOf(printed: Buffer): readonly (string | undefined)[] {
  const begin = printed.indexOf(10) + 1;
  const [, size] = / blob (\d+)$/.exec(printed.toString("latin1", 0, begin - 1)) ?? [];
  const end = size === undefined ? begin : begin + Number(size);
  const text = size === undefined ? undefined : decode(printed.subarray(begin, end)).text;
  const rest = printed.subarray(size === undefined ? end : end + 1);
  return rest.length === 0 ? [text] : [text, ...textsOf(rest)];
}
