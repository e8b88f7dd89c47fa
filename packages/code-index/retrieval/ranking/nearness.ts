import { termsOfWord, wordsOf } from "#store/index/terms.ts";
import type { ParsedQuery } from "#retrieval/query/query.ts";

export type Nearness = {
  /** The share of the query's terms in the best few neighbouring lines. */
  readonly together: number;
  /** The share of neighbouring words of the query that are neighbours here, too. */
  readonly inOrder: number;
  /** 1 where the text holds the whole query letter for letter, as when it was pasted. */
  readonly verbatim: number;
};

export const FAR: Nearness = { together: 0, inOrder: 0, verbatim: 0 };

/** Lines that are looked at together. */
const WINDOW = 4;
/** Fewer words stand together by chance. */
const PASTED_WORDS = 4;
/** So many terms in neighbouring lines are as good as all. */
const ENOUGH_TERMS = 8;

/** Measures how closely the query's terms stand together in texts. Texts share most of their words, so each word is resolved once. */
export function createNearness({ queryTerms, text: written }: ParsedQuery, telling: readonly number[]): (text: string) => Nearness {
  if (telling.length < 2) {
    return () => FAR;
  }
  const isPasted = written.split(/\s+/u).length >= PASTED_WORDS;
  const wanted = new Map(telling.flatMap((term, index) => (queryTerms[term]?.terms ?? []).map((form) => [form, index] as const)));
  const known = new Map<string, readonly number[]>();
  const askedBy = (word: string): readonly number[] => {
    const indices = known.get(word) ?? termsOfWord(word).flatMap((term) => wanted.get(term) ?? []);
    known.set(word, indices);
    return indices;
  };
  return (text) => ({
    ...measure(
      text.split("\n").map((line) => wordsOf(line).flatMap(askedBy)),
      Math.min(telling.length, ENOUGH_TERMS),
    ),
    verbatim: isPasted && text.includes(written) ? 1 : 0,
  });
}

/** `lines` have the places, among the terms asked for, of those that they hold. */
function measure(lines: readonly (readonly number[])[], enough: number): Omit<Nearness, "verbatim"> {
  const pairs = new Set<number>();
  let most = 0;
  for (let at = 0; at < lines.length; at++) {
    const found = lines[at] ?? [];
    if (found.length > 0) {
      most = Math.max(most, new Set(lines.slice(at, at + WINDOW).flat()).size);
    }
    for (let word = 1; word < found.length; word++) {
      const [one = 0, other = 0] = [found[word - 1], found[word]];
      if (other === one + 1) {
        pairs.add(one);
      }
    }
  }
  return { together: Math.min(1, most / enough), inOrder: Math.min(1, pairs.size / Math.max(1, enough - 1)) };
}
