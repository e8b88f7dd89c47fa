import type { FileKind } from "#contract.ts";
import { isProse } from "#retrieval/query/query-shape.ts";
import type { ParsedQuery } from "#retrieval/query/query.ts";
import { termsOf } from "#store/index/terms.ts";
import type { Candidate } from "./candidate.ts";
import { describeFiles } from "./file-evidence.ts";
import { fileKindOf } from "./file-kind.ts";
import { createWordMatcher, partsOf, type WordMatcher } from "./match-words.ts";
import { findDefinition } from "./find-definition.ts";
import { describeLikeness } from "./likeness.ts";
import { createMention } from "./mention.ts";

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
  readonly features: Features;
  /** For a query that is a path: 1 when it points to the place, less when only to its file. Undefined of other queries. */
  readonly place: number | undefined;
  /** How well a file that a report names is its own, 1 when the line is, too. */
  readonly mentioned: number;
  /** It defines the name that the query is. */
  readonly defines: boolean;
  /** What its file is for; `asked` when the query asks for such files. */
  readonly kind: FileKind | "asked";
  /** The share of a question's or report's words that the subjects of its file's newest commits say; 0 where no history is known. */
  readonly saidByCommits: number;
  /** Those words. */
  readonly commitsSay: readonly string[];
};

/** Describes all candidates of a query; what they have in common is worked out once. */
export function describeCandidates(
  candidates: readonly Candidate[],
  { query, termWeights }: { readonly query: ParsedQuery; readonly termWeights: readonly number[] },
): readonly Described[] {
  const matcher = createWordMatcher(query, termWeights);
  const total = sum(termWeights) || 1;
  const scored = candidates.map((candidate) => ({ candidate, bm25: sum(candidate.contributions) }));
  const files = describeFiles(scored, { termWeights, total });
  const likenessOf = describeLikeness(candidates);
  const describePath = remember((path: string) => pathFeatures(path, matcher));
  const kindOf = remember(fileKindOf);
  const describeNames = createNameFeatures(query, matcher);
  const asksInWords = isProse(query.shape) || query.shape === "report";
  const matchesOfSubjects = remember((words: string) => matcher.wholeMatchesOf(words.split(" ")));
  const mention = createMention(query);
  const defining = findDefinition(candidates, query);
  const wanted = kindsAskedFor(query);
  const ofQuery = {
    terms: Math.log1p(matcher.telling.length),
    is_name: flag(query.shape === "symbol"),
    is_prose: flag(isProse(query.shape)),
    is_report: flag(query.shape === "report"),
  };
  return candidates.map((candidate): Described => {
    const { chunk } = candidate;
    const names = describeNames(chunk.symbols);
    const inSubjects = asksInWords ? matchesOfSubjects(candidate.subjectWords) : NO_MATCHES;
    const kind = kindOf(chunk.path);
    const { place, mentioned } = mention(chunk);
    const features: Features = {
      ...files(candidate),
      ...likenessOf(candidate),
      ...describePath(chunk.path),
      ...names,
      is_header: flag(HEADER.test(chunk.path)),
      lines: Math.log1p(chunk.end_line - chunk.start_line + 1),
      definitions: Math.log1p(chunk.symbols.length),
      is_first: flag(chunk.start_line === 1),
      depth: chunk.path.split("/").length - 1,
      changes: Math.log1p(candidate.subjectWords === "" ? 0 : candidate.subjectWords.split(" ").length),
      ...ofQuery,
    };
    return {
      candidate,
      features,
      place,
      mentioned,
      defines: defining.has(candidate),
      kind: wanted.has(kind) ? "asked" : kind,
      saidByCommits: matcher.shareOf(inSubjects),
      commitsSay: [...inSubjects.keys()].flatMap((term) => query.queryTerms[term]?.terms[0] ?? []),
    };
  });
}

const NO_MATCHES: ReadonlyMap<number, number> = new Map();

const HEADER = /\.(?:h|hh|hpp|hxx)$/;

function pathFeatures(path: string, matcher: WordMatcher) {
  const folders = path.split("/");
  const base = (folders.pop() ?? path).replace(/\.[^.]*$/, "");
  const inName = matcher.matchesOf(termsOf(base.replaceAll(/[.-]/g, "_")));
  const inFolders = matcher.matchesOf(folders.flatMap((folder) => termsOf(folder.replaceAll(/[.-]/g, "_"))));
  const parts = partsOf(base);
  return {
    path_words: matcher.shareOf(strongest([inFolders, inName])),
    file_name_words: matcher.shareOf(inName),
    folder_words: matcher.shareOf(inFolders),
    file_name_said: matcher.saidOf(parts),
    file_name_rare: matcher.saidOf(parts, matcher.rarityOf),
  };
}

function createNameFeatures(query: ParsedQuery, matcher: WordMatcher) {
  const asked = new Set(query.names.map((name) => name.toLowerCase()));
  const describe = remember((symbol: string) => {
    // C++ defines `Cache::Find` outside of its class: whoever asks for `Find` asks for that, too.
    const last = symbol.split(/::|\.|#/).at(-1) ?? symbol;
    const names = last === symbol ? [symbol] : [symbol, last];
    const matches = matcher.matchesOf(names.flatMap((name) => termsOf(name)));
    const share = matcher.shareOf(matches);
    const ofName = Math.max(...names.map((name) => matcher.saidOf(partsOf(name))));
    const strong = [...matches.values()].reduce((held, strength) => held + strength, 0);
    const words = Math.min(...names.map((name) => partsOf(name).length));
    return {
      matches,
      best: share * ofName,
      likeness: Math.min(1, strong / Math.max(1, words, Math.min(matcher.telling.length, 8))) ** 2,
      isAsked: names.some((name) => asked.has(name.toLowerCase())),
      isSaid: last.length > 3 && query.text.includes(last),
    };
  });
  return (symbols: readonly string[]) => {
    const described = symbols.map(describe);
    return {
      name_words: matcher.shareOf(strongest(described.map(({ matches }) => matches))),
      best_name: Math.max(0, ...described.map(({ best }) => best)),
      named: Math.max(0, ...described.map(({ likeness }) => likeness)),
      exact_name: flag(described.some(({ isAsked }) => isAsked)),
      name_said: flag(described.some(({ isSaid }) => isSaid)),
    };
  };
}

function strongest(all: readonly ReadonlyMap<number, number>[]): ReadonlyMap<number, number> {
  const joined = new Map<number, number>();
  for (const [term, strength] of all.flatMap((matches) => [...matches])) {
    joined.set(term, Math.max(strength, joined.get(term) ?? 0));
  }
  return joined;
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

function remember<Value>(describe: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    const value = known.get(key) ?? describe(key);
    known.set(key, value);
    return value;
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function flag(is: boolean): number {
  return is ? 1 : 0;
}
