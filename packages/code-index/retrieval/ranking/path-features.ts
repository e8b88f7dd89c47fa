import { splitTerms } from "#store/index/terms.ts";
import { findFileKind } from "./file-kind.ts";
import { strongest, type WordMatcher } from "./match-words.ts";
import { memoize, memoizeRecent } from "./memoize.ts";
import { splitName } from "./split-name.ts";

/** Paths of a kilobyte each. */
const MAX_PATHS = 5_000;

const HEADER = /\.(?:h|hh|hpp|hxx)$/;

/** What a path says whatever the query is. */
const splitPath = memoizeRecent(MAX_PATHS, (path) => {
  const folders = path.split("/");
  const base = (folders.pop() ?? path).replace(/\.[^.]*$/, "");
  return {
    inName: splitTerms(withoutDots(base)),
    inFolders: folders.flatMap((folder) => splitTerms(withoutDots(folder))),
    parts: splitName(base).parts,
    depth: folders.length,
    isHeader: HEADER.test(path) ? 1 : 0,
  };
});

function withoutDots(name: string): string {
  return name.replaceAll(/[.-]/g, "_");
}

/** Describes paths for a query. */
export function describePaths(matcher: WordMatcher) {
  return memoize((path: string) => {
    const { inName, inFolders, parts, depth, isHeader } = splitPath(path);
    const ofName = matcher.matchesOf(inName);
    const ofFolders = matcher.matchesOf(inFolders);
    return {
      kind: findFileKind(path),
      features: {
        path_words: matcher.shareOf(strongest([ofFolders, ofName])),
        file_name_words: matcher.shareOf(ofName),
        folder_words: matcher.shareOf(ofFolders),
        file_name_said: matcher.saidOf(parts),
        file_name_rare: matcher.saidOf(parts, matcher.rarityOf),
        depth,
        is_header: isHeader,
      },
    };
  });
}
