import { spawnSync } from "node:child_process";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** A real git repository in a temporary folder, on the branch `main`. */
export type GitRepository = {
  readonly directory: string;
  /** `file://` address to fetch it from. */
  readonly url: string;
  /** Writes the files given, commits everything and returns the commit's id. */
  readonly commit: (files: Readonly<Record<string, string | Buffer>>) => Promise<string>;
  readonly git: (...given: readonly string[]) => string;
  readonly remove: () => Promise<void>;
};

export async function createGitRepository(format: "sha1" | "sha256" = "sha1"): Promise<GitRepository> {
  const directory = await mkdtemp(join(tmpdir(), "sightline-repository-"));
  const git = (...given: readonly string[]) => {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"];
    const { status, stdout, stderr } = spawnSync("git", ["-C", directory, ...identity, ...given], { encoding: "utf8" });
    if (status !== 0) {
      throw new Error(`git ${given.join(" ")}: ${stderr}`);
    }
    return stdout.trim();
  };
  git("init", "--quiet", "--initial-branch=main", `--object-format=${format}`);
  return {
    directory,
    url: pathToFileURL(directory).toString(),
    git,
    commit: async (files) => {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(directory, path)), { recursive: true });
        await writeFile(join(directory, path), content);
      }
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message", "Change");
      return git("rev-parse", "HEAD");
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
