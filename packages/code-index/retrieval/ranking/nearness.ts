import { termsOfWord, wordsOf } from "#store/index/terms.ts";
import type { Concept } from "#retrieval/query/query.ts";

export type Nearness = {
  /** Which part of what is asked the best few neighbouring lines hold. */
  readonly together: number;
  /** Which part of the query's neighbouring words are neighbours here, too. */
  readonly inOrder: number;
  /** 1 where the text holds all that was written, letter for letter: it was pasted, or quoted. */
  readonly verbatim: number;
};

/** Lines that are looked at together. */
const WINDOW = 4;

/** Fewer words stand together by chance. */
const PASTED_WORDS = 4;

/** How closely what is asked stands together in texts, which have most of their words in common; `written` is how it was asked. */
export function createNearness(asked: readonly Concept[], written: string): (text: string) => Nearness {
  if (asked.length < 2) {
    return () => ({ together: 0, inOrder: 0, verbatim: 0 });
  }
  const isPasted = written.split(/\s+/u).length >= PASTED_WORDS;
  const wanted = new Map(asked.flatMap(({ terms }, index) => terms.map((term) => [term, index] as const)));
  const known = new Map<string, readonly number[]>();
  const askedBy = (word: string): readonly number[] => {
    const indices = known.get(word) ?? termsOfWord(word).flatMap((term) => wanted.get(term) ?? []);
    known.set(word, indices);
    return indices;
  };
  return (text) => ({
    ...measure(
      text.split("\n").map((line) => wordsOf(line).flatMap(askedBy)),
      asked.length,
    ),
    verbatim: isPasted && text.includes(written) ? 1 : 0,
  });
}

/** `lines` have the places, among `asked` concepts, of those that they hold. */
function measure(lines: readonly (readonly number[])[], asked: number): Omit<Nearness, "verbatim"> {
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
  return { together: most / asked, inOrder: pairs.size / Math.max(1, asked - 1) };
}
