import { createPostingsWriter, impactOf } from "#store/index/postings.ts";
import { copyOf, termsOfWord, wordsOf } from "#store/index/terms.ts";
import { createTrigramsCollector } from "#store/index/collect-trigrams.ts";
import type { TrigramBlock } from "#store/index/trigrams.ts";

/** How much more an occurrence says in the path, in the names around, or as the name of something defined, than in the text. */
const WEIGHTS = { content: 1, path: 2, scope: 2, symbol: 4 } as const;

type Fields = {
  readonly content: string;
  readonly path: string;
  readonly scope: string;
  readonly symbols: readonly string[];
  /** Where it begins in its file; all but the first go on with the chunk before. */
  readonly start_byte: number;
};

type CollectedPostings = { readonly term: string; readonly df: number; readonly docs: Buffer };

/** Gathers the terms and trigrams of a segment's chunks, and packs them. */
export type PostingsCollector = {
  /** The chunks in the order of their ordinals, from 0. */
  readonly add: (fields: Fields) => void;
  /** Term by term, in the order of the index they are written to. */
  readonly packed: () => Generator<CollectedPostings, void, undefined>;
  readonly trigrams: () => Generator<TrigramBlock, void, undefined>;
};

type Term = {
  /** Ordinal, frequency, ordinal, frequency … */
  readonly postings: number[];
  /** Weighted occurrences in the chunk that is being counted. */
  frequency: number;
};

export function createPostingsCollector(): PostingsCollector {
  const terms = new Map<string, Term>();
  /** By words as they are written: code repeats them, and what their terms are is worked out once. */
  const words = new Map<string, readonly Term[]>();
  const lengths: number[] = [];
  const trigrams = createTrigramsCollector();

  function learn(word: string): readonly Term[] {
    const found = termsOfWord(word).map((text) => {
      const term = terms.get(text) ?? { postings: [], frequency: 0 };
      terms.set(text, term);
      return term;
    });
    words.set(word, found);
    return found;
  }

  /** Counts the words of a text, and returns their number; `met` learns of the terms that are new to the chunk. */
  function count(text: string, weight: number, met: Term[]): number {
    let length = 0;
    for (const word of wordsOf(text)) {
      const found = words.get(word) ?? learn(copyOf(word));
      length += found.length;
      for (const term of found) {
        if (term.frequency === 0) {
          met.push(term);
        }
        term.frequency += weight;
      }
    }
    return length;
  }

  return {
    add: ({ content, path, scope, symbols, start_byte: begin }) => {
      trigrams.add(content, begin > 0);
      const met: Term[] = [];
      // Only the text makes a chunk long: a deep path should not count against it.
      const length = Math.max(1, count(content, WEIGHTS.content, met));
      count(path, WEIGHTS.path, met);
      count(scope, WEIGHTS.scope, met);
      count(symbols.join(" "), WEIGHTS.symbol, met);
      for (const term of met) {
        term.postings.push(lengths.length, term.frequency);
        term.frequency = 0;
      }
      lengths.push(length);
    },
    trigrams: trigrams.packed,
    packed: function* () {
      for (const text of [...terms.keys()].toSorted()) {
        const { postings } = terms.get(text) ?? { postings: [] };
        const df = postings.length / 2;
        const writer = createPostingsWriter(df);
        for (let at = 0; at < postings.length; at += 2) {
          const ordinal = postings[at] ?? 0;
          writer.add(ordinal, impactOf({ frequency: postings[at + 1] ?? 0, length: lengths[ordinal] ?? 1 }));
        }
        yield { term: text, df, docs: writer.finish() };
      }
    },
  };
}
