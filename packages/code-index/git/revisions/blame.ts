import { runGit } from "#git/git.ts";
import type { At } from "./read-blob.ts";
import { unquote } from "./unquote.ts";

/** Lines of a file from `start` on, counted from 1, that a commit was the last to change, where they began at `original` in `path`. */
export type BlamedLines = {
  readonly commit: string;
  readonly start: number;
  readonly lines: number;
  readonly original: number;
  readonly path: string;
};

/** The last change of each line, as `git blame` has it, from top to bottom. */
export async function blameLines(
  { directory, commit, path, signal }: At,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<readonly BlamedLines[]> {
  const given = ["blame", "--incremental", "--root", `-L${start},${end}`, commit, "--", path];
  const printed = (await runGit({ arguments: given, directory, settings: [["core.quotePath", "false"]], signal })).toString("utf8");
  const found = [...printed.matchAll(/^([0-9a-f]{40,64}) (\d+) (\d+) (\d+)\n(?:(?!filename ).*\n)*filename (.*)$/gmu)];
  const ranges = found.map(([, by = "", original, first, lines, name = ""]) => ({
    commit: by,
    start: Number(first),
    lines: Number(lines),
    original: Number(original),
    path: unquote(name),
  }));
  return joined(ranges.toSorted((one, other) => one.start - other.start));
}

/** What goes on where it ended before is one. */
function joined(ranges: readonly BlamedLines[]): readonly BlamedLines[] {
  return ranges.reduce<BlamedLines[]>((all, range) => {
    const last = all.at(-1);
    const goesOn = last?.commit === range.commit && last.path === range.path && last.original + last.lines === range.original;
    return goesOn ? [...all.slice(0, -1), { ...last, lines: last.lines + range.lines }] : (all.push(range), all);
  }, []);
}
