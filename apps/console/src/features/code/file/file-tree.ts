export type FolderNode = {
  readonly name: string;
  readonly path: string;
  readonly folders: readonly FolderNode[];
  readonly files: readonly FileNode[];
};
type FileNode = { readonly name: string; readonly path: string };

export type FileTreeRow = {
  /** The path; unique, since a folder's never equals a file's. */
  readonly id: string;
  readonly name: string;
  readonly depth: number;
  readonly kind: "folder" | "file";
  readonly expanded: boolean | undefined;
};

type Draft = { readonly folders: Map<string, Draft>; readonly files: FileNode[] };

/** Folders from paths; a folder that holds nothing but one folder is shown as one: `src/main/java`. */
export function buildFileTree(paths: readonly string[]): FolderNode {
  const root: Draft = { folders: new Map(), files: [] };
  for (const path of paths) {
    const names = path.split("/");
    const file = names.pop() ?? path;
    let folder = root;
    for (const name of names) {
      const known = folder.folders.get(name) ?? { folders: new Map(), files: [] };
      folder.folders.set(name, known);
      folder = known;
    }
    folder.files.push({ name: file, path });
  }
  return finish("", "", root);
}

/** The rows that are visible while these folders are open. */
export function visibleRows(folder: FolderNode, open: ReadonlySet<string>, depth = 0): readonly FileTreeRow[] {
  return [
    ...folder.folders.flatMap((child): readonly FileTreeRow[] => {
      const expanded = open.has(child.path);
      const row: FileTreeRow = { id: child.path, name: child.name, depth, kind: "folder", expanded };
      return expanded ? [row, ...visibleRows(child, open, depth + 1)] : [row];
    }),
    ...folder.files.map(({ name, path }): FileTreeRow => ({ id: path, name, depth, kind: "file", expanded: undefined })),
  ];
}

/** Every folder on the way to a file, in the spelling of paths. */
export function listFolders(path: string): readonly string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

function finish(name: string, path: string, draft: Draft): FolderNode {
  const only = [...draft.folders][0];
  if (name !== "" && draft.files.length === 0 && draft.folders.size === 1 && only !== undefined) {
    return finish(`${name}/${only[0]}`, `${path}/${only[0]}`, only[1]);
  }
  return {
    name,
    path,
    folders: [...draft.folders]
      .map(([child, inside]) => finish(child, path === "" ? child : `${path}/${child}`, inside))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
    files: draft.files.toSorted((a, b) => a.name.localeCompare(b.name)),
  };
}
