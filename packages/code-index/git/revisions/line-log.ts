import { runGit } from "#git/git.ts";
import type { At } from "./read-blob.ts";
import { unquote } from "./unquote.ts";

/** The changes of a commit to some lines: the hunks of them as the file is written, its name then, and where they were. */
export type LineChange = {
  readonly commit: string;
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly patch: Buffer;
};

type Asked = { readonly start: number; readonly end: number; readonly skip: number; readonly limit: number };

/** The commits that changed lines of a file, the newest first, as `git log -L` has it. */
export async function logLines(
  { directory, commit, path, signal }: At,
  { start, end, skip, limit }: Asked,
): Promise<readonly LineChange[]> {
  const page = [`--skip=${skip}`, `--max-count=${limit}`];
  const given = [
    "log",
    `-L${start},${end}:${path}`,
    ...page,
    "--no-show-signature",
    "--no-color",
    "--format=%x01%H",
    "--end-of-options",
    commit,
  ];
  const settings = [["core.quotePath", "false"]] as const;
  const printed = (await runGit({ arguments: given, directory, settings, signal })).toString("latin1");
  return `\n${printed}`
    .split("\n\u0001")
    .slice(1)
    .map((text) => readChange(text, { path, start, end }));
}

function readChange(text: string, asked: { readonly path: string; readonly start: number; readonly end: number }): LineChange {
  const commit = /^[0-9a-f]+/u.exec(text)?.[0] ?? "";
  const name = /^\+\+\+ (.+)$/mu.exec(text)?.[1] ?? "/dev/null";
  const begin = text.search(/(?<![^\n])@@ /u);
  const patch = begin === -1 ? "" : text.slice(begin).replace(/\n*$/u, "\n");
  const places = [...patch.matchAll(/(?<![^\n])@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/gu)].map(([, from, count = "1"]) => ({
    from: Number(from),
    to: Number(from) + Math.max(Number(count), 1) - 1,
  }));
  return {
    commit,
    path: name === "/dev/null" ? asked.path : unquote(Buffer.from(name, "latin1").toString("utf8")).replace(/^b\//u, ""),
    start: places.length === 0 ? asked.start : Math.min(...places.map(({ from }) => from)),
    end: places.length === 0 ? asked.end : Math.max(...places.map(({ to }) => to)),
    patch: Buffer.from(patch, "latin1"),
  };
}
