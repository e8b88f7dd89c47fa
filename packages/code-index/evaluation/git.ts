import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const OUTPUT = 1024 * 1024 * 1024;

export async function git(repository: string, given: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await run("git", ["-C", repository, ...given], { maxBuffer: OUTPUT, env: { ...process.env, ...environment } });
  return stdout;
}

/** `…/prometheus+prometheus/repo` and `…/prometheus.git` are both called prometheus. */
export function repositoryName(path: string): string {
  const last = basename(resolve(path), ".git");
  const name = last === "repo" || last === "" ? basename(dirname(resolve(path))) : last;
  return name.slice(name.lastIndexOf("+") + 1);
}

/** A commit's files in a temporary folder, which can be changed and then indexed. */
export type Checkout = {
  /** Where its history is. */
  readonly source: { readonly directory: string; readonly commit: string };
  readonly directory: string;
  readonly url: string;
  readonly commit: () => Promise<void>;
  readonly remove: () => Promise<void>;
};

export async function checkOut(repository: string, commit: string): Promise<Checkout> {
  const directory = await mkdtemp(join(tmpdir(), "sightline-eval-"));
  const index = { GIT_INDEX_FILE: join(directory, ".git-index") };
  const gitDirectory = await gitDirectoryOf(repository);
  const source = ["--git-dir", gitDirectory, "--work-tree", directory];
  await git(directory, [...source, "read-tree", commit], index);
  // A mirror may lack its largest files; the others are written all the same.
  await git(directory, [...source, "checkout-index", "--all", "--force"], index).catch(() => undefined);
  await rm(index.GIT_INDEX_FILE);
  await git(directory, ["init", "--quiet", "--initial-branch=main"]);
  const identity = ["-c", "user.name=Eval", "-c", "user.email=eval@example.org", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"];
  return {
    source: { directory: gitDirectory, commit },
    directory,
    url: pathToFileURL(directory).toString(),
    commit: async () => {
      await git(directory, ["add", "--all", "--force"]);
      await git(directory, [...identity, "commit", "--quiet", "--message", "What is evaluated"]);
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

async function gitDirectoryOf(repository: string): Promise<string> {
  return resolve(repository, (await git(repository, ["rev-parse", "--git-dir"])).trim());
}
