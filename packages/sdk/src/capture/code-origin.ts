import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { memoize } from "../mask/memoize.ts";
import { readCodeOrigin } from "../settings/settings.ts";

export type CodeOrigin = { readonly root: string; readonly repo: string | undefined; readonly commit: string | undefined };

const originOfFolder = memoize(readOrigin, { entries: 1000, keyLength: Infinity });

/** The repository a file lies in: `OBS_REPO` and `OBS_COMMIT` if set, else what its `.git` says. Read once per folder; runs no git. */
export function findCodeOrigin(file: string): CodeOrigin {
  return originOfFolder(dirname(file));
}

function readOrigin(folder: string): CodeOrigin {
  const { repo, commit } = readCodeOrigin();
  const root = findRoot(folder);
  const git = root === undefined ? undefined : readGit(root);
  return { root: root ?? process.cwd(), repo: repo ?? git?.repo, commit: commit ?? git?.commit };
}

/** The path inside the repository, with forward slashes; the whole path for files outside of it. */
export function pathInRepository(file: string, root: string): string {
  const inside = relative(root, file);
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? file : inside.split(sep).join("/");
}

function findRoot(start: string): string | undefined {
  let folder = start;
  while (!existsSync(join(folder, ".git"))) {
    const parent = dirname(folder);
    if (parent === folder) {
      return undefined;
    }
    folder = parent;
  }
  return folder;
}

function readGit(root: string): { repo: string | undefined; commit: string | undefined } {
  try {
    const folder = gitFolder(root);
    const shared = readText(join(folder, "commondir"));
    const common = shared === undefined ? folder : resolve(folder, shared);
    return { repo: remoteName(readText(join(common, "config")) ?? ""), commit: headCommit(folder, common) };
  } catch {
    return { repo: undefined, commit: undefined };
  }
}

/** In a worktree `.git` is a file that names the folder. */
function gitFolder(root: string): string {
  const path = join(root, ".git");
  if (statSync(path).isDirectory()) {
    return path;
  }
  return resolve(
    root,
    readFileSync(path, "utf8")
      .replace(/^gitdir:/, "")
      .trim(),
  );
}

function headCommit(folder: string, common: string): string | undefined {
  const head = readText(join(folder, "HEAD")) ?? "";
  const reference = /^ref: (refs\/[^\s]+)$/.exec(head)?.[1];
  if (reference === undefined) {
    return asCommit(head);
  }
  const packed = readText(join(common, "packed-refs"))
    ?.split("\n")
    .find((line) => line.endsWith(` ${reference}`));
  return asCommit(readText(join(folder, reference))) ?? asCommit(readText(join(common, reference))) ?? asCommit(packed?.split(" ")[0]);
}

/** The remote without scheme, credentials and `.git`: `github.com/owner/name`. */
function remoteName(config: string): string | undefined {
  const url = /\[remote "origin"\][^[]*?\burl\s*=\s*(\S+)/.exec(config)?.[1];
  const name = url
    ?.replace(/^[a-z+]+:\/\//i, "")
    .replace(/^[^@/]*@/, "")
    .replace(/^([^:/]+):(?!\d+\/)/, "$1/")
    .replace(/\.git$/, "");
  return name?.slice(0, 200);
}

function asCommit(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}
