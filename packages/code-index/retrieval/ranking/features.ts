import type { FileKind } from "#contract.ts";
import { isProse } from "#retrieval/query/query-shape.ts";
import type { ParsedQuery } from "#retrieval/query/parse-query.ts";
import { numberFiles, type Candidate } from "./candidate.ts";
import { describeCommits } from "./commit-features.ts";
import { describeFiles } from "./file-evidence.ts";
import { findDefinition } from "./find-definition.ts";
import { describeLikeness } from "./likeness.ts";
import { createWordMatcher } from "./match-words.ts";
import { createMention } from "./mention.ts";
import { describeNames } from "./name-features.ts";
import { describePaths } from "./path-features.ts";

/**
 * What the ranking knows of a candidate, by the factor of its score that each feature belongs to. All are numbers from 0 to 1 that are
 * better when greater, but those that say so. The names are the model's, which `evaluation/train-ranking.py` makes.
 */
export const FEATURES = {
  /** What its file holds: its best place, its six best together, all their words; how many places (a logarithm). */
  file: ["file_best", "file_sum", "file_fused", "file_words", "file_places", "place_in_file"],
  /** The query's words in its path, and how much of the file's name the query says. */
  path: ["path_words", "file_name_words", "folder_words", "file_name_said", "file_name_rare"],
  /** The query's words in the names that it defines. */
  names: ["name_words", "best_name", "named", "exact_name", "name_said"],
  /** Lines and names (logarithms), whether it begins its file, whether that is a header: neither good nor bad by themselves. */
  size: ["lines", "definitions", "is_first", "is_header"],
  /**
   * In how many folders its file lies, and how many words the subjects of its newest commits have (a logarithm; 0 where none is known):
   * neither good nor bad by themselves.
   */
  standing: ["depth", "changes"],
  /**
   * The cosine of its vector and the query's, as a share of the best candidate's; how many standard deviations it is above the mean of
   * all; its file's best. 0 where nothing has a vector.
   */
  likeness: ["likeness", "likeness_above", "file_likeness"],
  /** What kind of query it is, since what the others mean depends on it. */
  query: ["terms", "is_name", "is_prose", "is_report"],
} as const;

export type FeatureGroup = keyof typeof FEATURES;
export type FeatureName = (typeof FEATURES)[FeatureGroup][number];
export type Features = Record<FeatureName, number>;

export type Described = {
  readonly candidate: Candidate;
  /** The number of its file among theirs. */
  readonly file: number;
  readonly features: Features;
  /** For a query that is a path: 1 when it points to the place, less when only to its file. Undefined of other queries. */
  readonly place: number | undefined;
  /** How well a file that a report names is its own, 1 when the line is, too. */
  readonly mentioned: number;
  /** As `findDefinition` finds it: 1 when it defines the name that the query is as it is written. */
  readonly defines: number;
  /** What its file is for; `asked` when the query asks for such files. */
  readonly kind: FileKind | "asked";
  /** The share of a question's or report's words that the subjects of its file's newest commits say; 0 where no history is known. */
  readonly commitTermCoverage: number;
  /** Those words. */
  readonly matchedCommitTerms: readonly string[];
};

/** Describes all candidates of a query; what they have in common is worked out once. */
export function describeCandidates(
  candidates: readonly Candidate[],
  { query, termWeights }: { readonly query: ParsedQuery; readonly termWeights: readonly number[] },
): readonly Described[] {
  const matcher = createWordMatcher(query, termWeights);
  const total = termWeights.reduce((sum, weight) => sum + weight, 0) || 1;
  const files = numberFiles(candidates);
  const inFiles = describeFiles(candidates, { termWeights, total, files });
  const likenessOf = describeLikeness(candidates, files);
  const describePath = describePaths(matcher);
  const describeSymbols = describeNames(query, matcher);
  const describeSubjects = describeCommits(query, matcher);
  const mention = createMention(query);
  const defining = findDefinition(candidates, query);
  const wanted = kindsAskedFor(query);
  const ofQuery = {
    terms: Math.log1p(matcher.contentTerms.length),
    is_name: flag(query.shape === "symbol"),
    is_prose: flag(isProse(query.shape)),
    is_report: flag(query.shape === "report"),
  };
  return candidates.map((candidate, index): Described => {
    const { chunk } = candidate;
    const { kind, features: ofPath } = describePath(chunk.path);
    const { changes, commitTermCoverage, matchedCommitTerms } = describeSubjects(candidate.subjectWords);
    const { place, mentioned } = mention(chunk);
    const features: Features = {
      ...inFiles(index),
      ...likenessOf(index),
      ...ofPath,
      ...describeSymbols(chunk.symbols),
      lines: Math.log1p(chunk.end_line - chunk.start_line + 1),
      definitions: Math.log1p(chunk.symbols.length),
      is_first: flag(chunk.start_line === 1),
      changes,
      ...ofQuery,
    };
    return {
      candidate,
      file: files[index] ?? 0,
      features,
      place,
      mentioned,
      defines: defining.get(candidate) ?? 0,
      kind: wanted.has(kind) ? "asked" : kind,
      commitTermCoverage,
      matchedCommitTerms,
    };
  });
}

const ASKED_BY: readonly (readonly [FileKind, readonly string[]])[] = [
  ["test", ["test", "tests", "benchmark", "fixture", "mock", "spec"]],
  ["example", ["example", "examples", "demo"]],
  ["document", ["documentation", "readme", "changelog", "license", "docs"]],
  ["data", ["json", "yaml", "toml", "html", "css", "configuration"]],
];

/** Kinds of files that a query asks for; among the many words of a report any of them may stand. */
function kindsAskedFor({ queryTerms, shape }: ParsedQuery): ReadonlySet<FileKind> {
  const terms = new Set(shape === "report" ? [] : queryTerms.map((queryTerm) => queryTerm.terms[0]));
  return new Set(ASKED_BY.filter(([, words]) => words.some((word) => terms.has(word))).map(([kind]) => kind));
}

function flag(is: boolean): number {
  return is ? 1 : 0;
}
