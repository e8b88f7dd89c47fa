import { startGit } from "#git/git.ts";
import { createReader } from "#git/stream-reader.ts";

export type At = { readonly directory: string; readonly commit: string; readonly path: string; readonly signal: AbortSignal };

/** Whether it can be a path of a tree: git refuses to look for one that leads outside. */
export function isTreePath(path: string): boolean {
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** What a commit has at a path: a file, a folder, or `undefined`. Of a link it is where it leads. */
export async function readBlobAt(
  { directory, commit, path, signal }: At,
  { maxBytes }: { readonly maxBytes: number },
): Promise<Buffer | "folder" | "too large" | undefined> {
  // A name that is asked for ends with its line.
  if (!isTreePath(path) || path.includes("\n")) {
    return undefined;
  }
  const { child, ended, stop } = startGit({ arguments: ["cat-file", "--batch"], directory, signal });
  child.stdin.end(`${commit}:${path}\n`);
  try {
    const reader = createReader(child.stdout);
    const header = (await reader.until(10))?.toString("utf8") ?? "";
    const [, type, size] = /^[0-9a-f]+ (blob|tree) (\d+)$/u.exec(header) ?? [];
    if (type !== "blob") {
      await (header === "" ? ended : undefined);
      return type === "tree" ? "folder" : undefined;
    }
    if (Number(size) > maxBytes) {
      return "too large";
    }
    const content = await reader.take(Number(size));
    await (content === undefined ? ended : undefined);
    return content;
  } finally {
    stop();
  }
}
