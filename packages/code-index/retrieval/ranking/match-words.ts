import { termsOf } from "#store/index/terms.ts";
import { isStopWord, type ParsedQuery, type QueryTerm } from "#retrieval/query/query.ts";

/** How well a word of a path or a name is one of the query's: 1 for any form of it, less for its beginning, as `attr` or `impl`. */
type Match = { readonly term: number; readonly strength: number };

export type WordMatcher = {
  /** The query's terms that a text of words, such as a name, holds, by their places among the query's terms. */
  readonly matchesOf: (words: Iterable<string>) => ReadonlyMap<number, number>;
  /** The same, of words that are written out. */
  readonly wholeMatchesOf: (words: Iterable<string>) => ReadonlyMap<number, number>;
  /** The share of the query's words that were matched, from 0 to 1; rare ones count more. Of a long query the weightiest few are all. */
  readonly shareOf: (matches: ReadonlyMap<number, number>) => number;
  /** How much of `words` the query says, from 0 to 1; rare ones as `rarity` says. */
  readonly saidOf: (words: readonly string[], rarity?: (term: number) => number) => number;
  /** From 0, for a word that is everywhere, to 1. */
  readonly rarityOf: (term: number) => number;
  /** The terms that are more than stop words, by their places. */
  readonly telling: readonly number[];
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
  const telling = named.length > 0 ? named : all;
  const weightOf = (term: number) => termWeights[term] ?? queryTerms[term]?.weight ?? 0;
  const forms = telling.flatMap((term) => (queryTerms[term]?.terms ?? []).map((form) => ({ term, form })));
  const exactly = new Map(
    [...Map.groupBy(forms, ({ form }) => form)].map(([form, same]) => [form, same.map(({ term }): Match => ({ term, strength: 1 }))]),
  );
  const known = new Map<string, readonly Match[]>();
  const matchWhole = (word: string): readonly Match[] => exactly.get(word) ?? NO_MATCH;
  const matchWord = (word: string): readonly Match[] => {
    const found = known.get(word) ?? [...matchWhole(word), ...beginnings(word, forms)];
    known.set(word, found);
    return found;
  };
  const enough = telling
    .map(weightOf)
    .toSorted((one, other) => other - one)
    .slice(0, ENOUGH_TERMS)
    .reduce((sum, weight) => sum + weight, 0);
  const joined = (words: Iterable<string>, match: (word: string) => readonly Match[]) => {
    const matches = new Map<number, number>();
    for (const word of words) {
      for (const { term, strength } of match(word)) {
        matches.set(term, Math.max(strength, matches.get(term) ?? 0));
      }
    }
    return matches;
  };
  return {
    telling,
    rarityOf: (term) => Math.min(1, weightOf(term) / RARE),
    matchesOf: (words) => joined(words, matchWord),
    wholeMatchesOf: (words) => joined(words, matchWhole),
    shareOf: (matches) => {
      const held = [...matches].reduce((sum, [term, strength]) => sum + strength * weightOf(term), 0);
      return enough === 0 ? 0 : Math.min(1, held / enough);
    },
    saidOf: (words, rarity = () => 1) => {
      const said = words.map((word) => Math.max(0, ...matchWord(word).map(({ term, strength }) => strength * rarity(term))));
      return said.reduce((sum, share) => sum + share, 0) / Math.max(1, words.length);
    },
  };
}

function wordOf(term: QueryTerm | undefined): string {
  return term?.terms[0] ?? "";
}

function beginnings(word: string, forms: readonly { readonly term: number; readonly form: string }[]): readonly Match[] {
  if (word.length < MIN_PREFIX - 1) {
    return [];
  }
  return forms.flatMap(({ term, form }) => {
    const isBeginning = form.startsWith(word) || (form.length > MIN_PREFIX && word.startsWith(form));
    return isBeginning && form !== word ? [{ term, strength: PREFIX_STRENGTH }] : [];
  });
}

/** The words that a name is made of, and the whole only where there are no others: `httpServer` is http, server. */
export function partsOf(name: string): readonly string[] {
  const [whole, ...parts] = termsOf(name.replaceAll(/[.-]/g, "_"));
  const words = new Set(parts.length > 0 ? parts : whole === undefined ? [] : [whole]);
  return [...words];
}
