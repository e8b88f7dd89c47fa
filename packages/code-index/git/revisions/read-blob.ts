import { readBlobs } from "#git/blobs.ts";
import { runGit } from "#git/git.ts";
import { treeEntry, type TreeEntry } from "#git/tree-entry.ts";

export type At = { readonly directory: string; readonly commit: string; readonly path: string; readonly signal: AbortSignal };

/** Whether it can be a path of a tree: git refuses to look for one that leads outside. */
export function isTreePath(path: string): boolean {
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** What a commit has at a path: a file, a folder, or `undefined`. */
export async function findEntry({ directory, commit, path, signal }: At): Promise<TreeEntry | "folder" | undefined> {
  if (!isTreePath(path)) {
    return undefined;
  }
  const given = ["ls-tree", "-z", "-l", "--full-tree", "--end-of-options", commit, path];
  const printed = await runGit({ arguments: given, directory, signal });
  const tab = printed.indexOf(9);
  if (tab === -1) {
    return undefined;
  }
  const [mode = "", type, blob = "", size] = printed.toString("latin1", 0, tab).split(/ +/);
  return type === "tree"
    ? "folder"
    : treeEntry({ mode, blob, path: printed.subarray(tab + 1, printed.indexOf(0)), bytes: Number(size) || 0 });
}

export async function readBlob(directory: string, blob: string, signal: AbortSignal): Promise<Buffer> {
  for await (const content of readBlobs({ directory }, [blob], { signal })) {
    return content;
  }
  throw new Error("git has no content for a blob.");
}
