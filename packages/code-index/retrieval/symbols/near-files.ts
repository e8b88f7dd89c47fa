import type { FileKind } from "#contract.ts";
import { findFileKind } from "#retrieval/ranking/file-kind.ts";
import { sortedBy } from "./find-symbol.ts";
import type { SymbolRow } from "./read-symbols.store.ts";

const KINDS: readonly FileKind[] = ["source", "declaration", "test", "example", "document", "data", "generated", "vendored"];

type Placed = { readonly repo: string; readonly path: string; readonly document_id: number };

/** The file of a definition, its folder, its repository; code before tests; before all those that use what the name is inside of. */
export function nearestFiles<File extends Placed>(
  files: readonly File[],
  definitions: readonly SymbolRow[],
  usesOuter: ReadonlySet<number>,
): readonly File[] {
  const own = new Set(definitions.map(({ repo, path }) => `${repo} ${path}`));
  const folders = new Set(definitions.map(({ repo, path }) => `${repo} ${folderOf(path)}`));
  const repositories = new Set(definitions.map(({ repo }) => repo));
  const distanceOf = ({ repo, path }: File) => {
    if (own.has(`${repo} ${path}`)) {
      return 0;
    }
    return folders.has(`${repo} ${folderOf(path)}`) ? 1 : repositories.has(repo) ? 2 : 3;
  };
  return sortedBy(
    files,
    (file) => (usesOuter.has(file.document_id) ? 0 : 1_000) + KINDS.indexOf(findFileKind(file.path)) * 10 + distanceOf(file),
  );
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}
