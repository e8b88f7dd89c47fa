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
    const ofName = matcher.findMatches(inName);
    const ofFolders = matcher.findMatches(inFolders);
    return {
      kind: findFileKind(path),
      features: {
        path_words: matcher.findShare(strongest([ofFolders, ofName])),
        file_name_words: matcher.findShare(ofName),
        folder_words: matcher.findShare(ofFolders),
        file_name_said: matcher.findCoverage(parts),
        file_name_rare: matcher.findCoverage(parts, matcher.findRarity),
        depth,
        is_header: isHeader,
      },
    };
  });
}
