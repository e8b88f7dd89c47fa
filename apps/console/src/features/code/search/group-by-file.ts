import type { SearchResult } from "@sightline/code-index/contract";

export type FileGroup = { readonly repo: string; readonly path: string; readonly results: readonly SearchResult[] };

/** Files in the order of their best result, each with its results in that order too. */
export function groupByFile(results: readonly SearchResult[]): readonly FileGroup[] {
  const groups = Map.groupBy(results, ({ repo, path }) => `${repo}\n${path}`);
  return [...groups.values()].flatMap((group) =>
    group[0] === undefined ? [] : [{ repo: group[0].repo, path: group[0].path, results: group }],
  );
}
