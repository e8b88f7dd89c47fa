import type { Tree } from "@sightline/code-index/contract";

/** A file, or a folder, whose path ends with a slash and which has no lines. */
export type Entry = { readonly name: string; readonly path: string; readonly lines: number | undefined };

/** The folder that a path names, with a slash at its end; undefined where it names a file or nothing. */
export function folderNamed(path: string | undefined, files: Tree["files"]): string | undefined {
  const folder = path === undefined || path === "" ? "" : path.replace(/\/*$/u, "/");
  return folder === path || folder === "" || files.some((file) => file.path.startsWith(folder)) ? folder : undefined;
}

/** What is right inside of a folder, folders first. */
export function listEntries(files: Tree["files"], folder: string): readonly Entry[] {
  const entries = new Map<string, Entry>();
  for (const { path, lines } of files) {
    if (path.startsWith(folder)) {
      const [name = "", ...deeper] = path.slice(folder.length).split("/");
      const isFolder = deeper.length > 0;
      const own = `${folder}${name}${isFolder ? "/" : ""}`;
      entries.set(own, { name, path: own, lines: isFolder ? undefined : lines });
    }
  }
  const isFile = ({ lines }: Entry) => Number(lines !== undefined);
  return [...entries.values()].toSorted((one, other) => isFile(one) - isFile(other) || one.name.localeCompare(other.name));
}
