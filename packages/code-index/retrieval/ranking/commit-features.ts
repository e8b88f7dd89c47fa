import { isProse } from "#retrieval/query/query-shape.ts";
import type { ParsedQuery } from "#retrieval/query/parse-query.ts";
import { NO_MATCHES, type WordMatcher } from "./match-words.ts";
import { memoize } from "./memoize.ts";

/** Describes the words of the subjects of a file's commits, with blanks between them, for a query: only questions and reports ask of them. */
export function describeCommits(query: ParsedQuery, matcher: WordMatcher) {
  const asksInWords = isProse(query.shape) || query.shape === "report";
  return memoize((subjectWords: string) => {
    const words = subjectWords === "" ? [] : subjectWords.split(" ");
    const matches = asksInWords ? matcher.findWholeMatches(words) : NO_MATCHES;
    return {
      changes: Math.log1p(words.length),
      commitTermCoverage: matcher.findShare(matches),
      matchedCommitTerms: [...matches.keys()].flatMap((term) => query.queryTerms[term]?.terms[0] ?? []),
    };
  });
}
