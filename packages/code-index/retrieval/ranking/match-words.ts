import { isStopWord, type ParsedQuery, type QueryTerm } from "#retrieval/query/parse-query.ts";

/** How well a word of a path or a name is one of the query's: 1 for any form of it, less for its beginning, as `attr` or `impl`. */
type Match = { readonly term: number; readonly strength: number };

/** How well a text of words holds terms of the query, by their places among the query's terms. */
export type Matches = ReadonlyMap<number, number>;

export const NO_MATCHES: Matches = new Map();

export type WordMatcher = {
  /** The query's terms that a text of words, such as a name, holds. */
  readonly findMatches: (words: Iterable<string>) => Matches;
  /** The same, of words that are written out. */
  readonly findWholeMatches: (words: Iterable<string>) => Matches;
  /** The share of the query's words that were matched, from 0 to 1; rare ones count more. Of a long query the weightiest few are all. */
  readonly findShare: (matches: Matches) => number;
  /** How much of `words` the query says, from 0 to 1; rare ones as `rarity` says. */
  readonly findCoverage: (words: readonly string[], rarity?: (term: number) => number) => number;
  /** From 0, for a word that is everywhere, to 1. */
  readonly findRarity: (term: number) => number;
  /** The terms that are more than stop words, by their places. */
  readonly contentTerms: readonly number[];
};

/** So many of a long query's words are all that a path or name can be expected to hold. */
const ENOUGH_TERMS = 8;
const MIN_PREFIX = 3;
const PREFIX_STRENGTH = 0.7;
/** An inverse document frequency of one in 150 chunks. */
const RARE = 5;

const NO_MATCH: readonly Match[] = [];

export function createWordMatcher({ queryTerms }: Pick<ParsedQuery, "queryTerms">, termWeights: readonly number[]): WordMatcher {
  const all = queryTerms.map((_, index) => index);
  const named = all.filter((index) => !isStopWord(wordOf(queryTerms[index])));
  // In a query of nothing but stop words all of them count.
  const contentTerms = named.length > 0 ? named : all;
  const weights = all.map((term) => termWeights[term] ?? queryTerms[term]?.weight ?? 0);
  const weightOf = (term: number) => weights[term] ?? 0;
  const forms = contentTerms.flatMap((term) => (queryTerms[term]?.terms ?? []).map((form): Form => ({ term, form })));
  const exactly = new Map(
    [...Map.groupBy(forms, ({ form }) => form)].map(([form, same]) => [form, same.map(({ term }): Match => ({ term, strength: 1 }))]),
  );
  const byBeginning = Map.groupBy(forms, ({ form }) => beginningOf(form));
  const known = new Map<string, readonly Match[]>();
  const matchWhole = (word: string): readonly Match[] => exactly.get(word) ?? NO_MATCH;
  const matchWord = (word: string): readonly Match[] => {
    const near = byBeginning.get(beginningOf(word));
    // Most words of most names are like none of the query's.
    if (near === undefined) {
      return NO_MATCH;
    }
    const found = known.get(word) ?? [...matchWhole(word), ...beginnings(word, near)];
    known.set(word, found);
    return found;
  };
  const enough = contentTerms
    .map(weightOf)
    .toSorted((one, other) => other - one)
    .slice(0, ENOUGH_TERMS)
    .reduce((sum, weight) => sum + weight, 0);
  return {
    contentTerms,
    findRarity: (term) => Math.min(1, weightOf(term) / RARE),
    findMatches: (words) => joined(words, matchWord),
    findWholeMatches: (words) => joined(words, matchWhole),
    findShare: (matches) => {
      let held = 0;
      for (const [term, strength] of matches) {
        held += strength * weightOf(term);
      }
      return enough === 0 ? 0 : Math.min(1, held / enough);
    },
    findCoverage: (words, rarity = () => 1) => {
      let matched = 0;
      for (const word of words) {
        matched += matchWord(word).reduce((max, { term, strength }) => Math.max(max, strength * rarity(term)), 0);
      }
      return matched / Math.max(1, words.length);
    },
  };
}

function joined(words: Iterable<string>, match: (word: string) => readonly Match[]): Matches {
  let matches: Map<number, number> | undefined;
  for (const word of words) {
    for (const { term, strength } of match(word)) {
      matches ??= new Map();
      keepStrongest(matches, term, strength);
    }
  }
  return matches ?? NO_MATCHES;
}

/** The strongest match of each term. */
export function strongest(all: readonly Matches[]): Matches {
  const some = all.filter((matches) => matches.size > 0);
  const [only = NO_MATCHES] = some;
  if (some.length <= 1) {
    return only;
  }
  const matches = new Map<number, number>();
  for (const each of some) {
    for (const [term, strength] of each) {
      keepStrongest(matches, term, strength);
    }
  }
  return matches;
}

function keepStrongest(matches: Map<number, number>, term: number, strength: number): void {
  matches.set(term, Math.max(strength, matches.get(term) ?? 0));
}

function wordOf(term: QueryTerm | undefined): string {
  return term?.terms[0] ?? "";
}

/** A form of the query's term at that place. */
type Form = { readonly term: number; readonly form: string };

/** The first two letters as a number: a word has them in common with every form that it begins, or that begins it. */
function beginningOf(word: string): number {
  return (word.charCodeAt(0) || 0) * 0x1_00_00 + (word.charCodeAt(1) || 0);
}

function beginnings(word: string, forms: readonly Form[]): readonly Match[] {
  if (word.length < MIN_PREFIX - 1) {
    return NO_MATCH;
  }
  return forms.flatMap(({ term, form }) => {
    const isBeginning = form.startsWith(word) || (form.length > MIN_PREFIX && word.startsWith(form));
    return isBeginning && form !== word ? [{ term, strength: PREFIX_STRENGTH }] : [];
  });
}
