import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A bare repository with the objects of another, which stays as it is, and one branch, whose newest commit is chosen. */
export type Origin = {
  readonly name: string;
  readonly directory: string;
  readonly url: string;
  /** The newest commits of the other's branch, each the first parent of the next; the oldest first. */
  readonly newest: (count: number) => Promise<readonly string[]>;
  readonly setBranch: (commit: string) => Promise<void>;
  readonly remove: () => Promise<void>;
};

export async function createOrigin(path: string): Promise<Origin> {
  const from = resolve(path);
  const git = async (directory: string, ...words: readonly string[]) =>
    (await run("git", ["-C", directory, ...words], { maxBuffer: 2 ** 26 })).stdout.trim();
  const objects = resolve(from, await git(from, "rev-parse", "--git-path", "objects"));
  const folder = await mkdtemp(join(tmpdir(), "sightline-acceptance-"));
  const directory = join(folder, "origin.git");
  await run("git", ["init", "--quiet", "--bare", "--initial-branch=main", directory]);
  await writeFile(join(directory, "objects/info/alternates"), `${objects}\n`);
  return {
    name: nameOf(from),
    directory,
    url: pathToFileURL(directory).toString(),
    newest: async (count) => (await git(from, "rev-list", "--first-parent", `--max-count=${count}`, "HEAD")).split("\n").toReversed(),
    setBranch: async (commit) => void (await git(directory, "update-ref", "refs/heads/main", commit)),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** `…/prometheus+prometheus/repo` and `…/prometheus.git` are both called prometheus. */
function nameOf(path: string): string {
  const last = basename(path, ".git");
  const name = last === "repo" || last === "" ? basename(dirname(path)) : last;
  return name.slice(name.lastIndexOf("+") + 1);
}
