import { createPostingsWriter, computeImpact } from "#store/index/postings.ts";
import { copyWord, termsOfWord } from "#store/index/terms.ts";
import { createTrigramsCollector } from "#store/index/collect-trigrams.ts";
import { GrowingNumbers } from "#store/index/growing-numbers.ts";
import { createWordNumbers } from "#store/index/word-numbers.ts";
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
  /** Null where its trigrams alone are gathered. */
  readonly text_hash: string | null;
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

export function createPostingsCollector(): PostingsCollector {
  const terms = new Map<string, number>();
  /** Weighted occurrences of each term in the chunk that is being counted. */
  let frequencies = new Uint32Array(1_024);
  /** The terms of all words, and where those of each begin; behind them those of the next. */
  const termsOfWords = new GrowingNumbers();
  const begins = new GrowingNumbers();
  begins.push(0);
  const words = createWordNumbers((word) => {
    for (const text of termsOfWord(word)) {
      let term = terms.get(text);
      if (term === undefined) {
        term = terms.size;
        terms.set(copyWord(text), term);
      }
      termsOfWords.push(term);
    }
    begins.push(termsOfWords.length);
    if (terms.size > frequencies.length) {
      frequencies = new Uint32Array(frequencies.buffer.transfer(terms.size * 8));
    }
  });
  /** Chunk by chunk: term, frequency, term, frequency … */
  const postings = new GrowingNumbers();
  /** By chunk, where its postings end, and its number of terms. */
  const ends = new GrowingNumbers();
  const lengths = new GrowingNumbers();
  const trigrams = createTrigramsCollector();

  /** Counts the words of a text, and returns their number; the terms that are new to the chunk are noted. */
  function count(text: string, weight: number): number {
    let length = 0;
    const numbers = words.read(text);
    const [found, starts] = [termsOfWords.all(), begins.all()];
    for (const word of numbers) {
      const end = starts[word + 1] ?? 0;
      for (let at = starts[word] ?? 0; at < end; at++) {
        const term = found[at] ?? 0;
        const frequency = frequencies[term] ?? 0;
        if (frequency === 0) {
          postings.push(term);
          postings.push(0);
        }
        frequencies[term] = frequency + weight;
        length++;
      }
    }
    return length;
  }

  return {
    add: ({ content, path, scope, symbols, start_byte: begin, text_hash: hash }) => {
      trigrams.add(content, begin > 0);
      const first = postings.length;
      // Only the text makes a chunk long: a deep path should not count against it.
      lengths.push(Math.max(1, hash === null ? 0 : count(content, WEIGHTS.content)));
      if (hash !== null) {
        count(path, WEIGHTS.path);
        count(scope, WEIGHTS.scope);
        count(symbols.join(" "), WEIGHTS.symbol);
      }
      const all = postings.all();
      for (let at = first; at < all.length; at += 2) {
        const term = all[at] ?? 0;
        all[at + 1] = frequencies[term] ?? 0;
        frequencies[term] = 0;
      }
      ends.push(all.length);
    },
    trigrams: trigrams.packed,
    packed: () => packPostings({ terms, postings: postings.all(), ends: ends.all(), lengths: lengths.all() }),
  };
}

type Collected = {
  readonly terms: ReadonlyMap<string, number>;
  readonly postings: Uint32Array;
  readonly ends: Uint32Array;
  readonly lengths: Uint32Array;
};

/** Turns the terms of each chunk into the chunks of each term. */
function* packPostings({ terms, postings, ends, lengths }: Collected): Generator<CollectedPostings, void, undefined> {
  /** Where the next posting of each term goes; when all are placed, where they end. */
  const places = new Uint32Array(terms.size);
  for (let at = 0; at < postings.length; at += 2) {
    const term = postings[at] ?? 0;
    places[term] = (places[term] ?? 0) + 1;
  }
  let sum = 0;
  for (const [term, df] of places.entries()) {
    places[term] = sum;
    sum += df;
  }
  const ordinals = new Uint32Array(sum);
  const frequencies = new Uint32Array(sum);
  let at = 0;
  for (const [ordinal, end] of ends.entries()) {
    for (; at < end; at += 2) {
      const term = postings[at] ?? 0;
      const place = places[term] ?? 0;
      ordinals[place] = ordinal;
      frequencies[place] = postings[at + 1] ?? 0;
      places[term] = place + 1;
    }
  }
  for (const [text, term] of [...terms].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const begin = term === 0 ? 0 : (places[term - 1] ?? 0);
    const end = places[term] ?? 0;
    const writer = createPostingsWriter(end - begin);
    for (let place = begin; place < end; place++) {
      const ordinal = ordinals[place] ?? 0;
      writer.add(ordinal, computeImpact({ frequency: frequencies[place] ?? 0, length: lengths[ordinal] ?? 1 }));
    }
    yield { term: text, df: end - begin, docs: writer.finish() };
  }
}
