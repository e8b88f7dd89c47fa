import { encodePostings, impactOf } from "#store/postings.ts";
import { termsOf } from "#store/terms.ts";

/** How much more an occurrence says in the path, in the names around, or as the name of something defined, than in the text. */
const WEIGHTS = { content: 1, path: 2, scope: 2, symbol: 4 } as const;

type Fields = { readonly content: string; readonly path: string; readonly scope: string; readonly symbols: readonly string[] };

type CollectedPostings = { readonly term: string; readonly df: number; readonly docs: Buffer };

/** Gathers the terms of a segment's chunks, and packs them once their mean length is known. */
export type PostingsCollector = {
  /** The chunks in the order of their ordinals, from 0. */
  readonly add: (fields: Fields) => void;
  readonly averageLength: () => number;
  /** Term by term, in the order of the index they are written to. */
  readonly packed: () => Generator<CollectedPostings, void, undefined>;
};

export function createPostingsCollector(): PostingsCollector {
  /** For each term: ordinal, frequency, ordinal, frequency … */
  const occurrences = new Map<string, number[]>();
  const lengths: number[] = [];
  let total = 0;

  const averageLength = () => (lengths.length === 0 ? 0 : total / lengths.length);

  return {
    averageLength,
    add: ({ content, path, scope, symbols }) => {
      const ordinal = lengths.length;
      const frequencies = new Map<string, number>();
      const count = (text: string, weight: number) => {
        const terms = termsOf(text);
        for (const term of terms) {
          frequencies.set(term, (frequencies.get(term) ?? 0) + weight);
        }
        return terms.length;
      };
      // Only the text makes a chunk long: a deep path should not count against it.
      const length = Math.max(1, count(content, WEIGHTS.content));
      count(path, WEIGHTS.path);
      count(scope, WEIGHTS.scope);
      count(symbols.join(" "), WEIGHTS.symbol);
      lengths.push(length);
      total += length;
      for (const [term, frequency] of frequencies) {
        const known = occurrences.get(term);
        if (known === undefined) {
          occurrences.set(term, [ordinal, frequency]);
        } else {
          known.push(ordinal, frequency);
        }
      }
    },
    packed: function* () {
      const average = averageLength();
      for (const term of [...occurrences.keys()].toSorted()) {
        const numbers = occurrences.get(term) ?? [];
        const postings = Array.from({ length: numbers.length / 2 }, (_, index) => {
          const ordinal = numbers[index * 2] ?? 0;
          const frequency = numbers[index * 2 + 1] ?? 0;
          return { ordinal, impact: impactOf({ frequency, length: lengths[ordinal] ?? 1, averageLength: average }) };
        });
        yield { term, df: postings.length, docs: encodePostings(postings) };
      }
    },
  };
}
