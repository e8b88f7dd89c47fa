import { termsOf } from "#store/terms.ts";
import type { Concept } from "./query.ts";

export type Nearness = {
  /** Which part of what is asked the best few neighbouring lines hold. */
  readonly together: number;
  /** Which part of the query's neighbouring words are neighbours here, too. */
  readonly inOrder: number;
};

/** Lines that are looked at together. */
const WINDOW = 4;

/** How closely what is asked stands together in a text. */
export function nearnessOf(text: string, asked: readonly Concept[]): Nearness {
  if (asked.length < 2) {
    return { together: 0, inOrder: 0 };
  }
  const wanted = new Map(asked.flatMap(({ terms }, index) => terms.map((term) => [term, index] as const)));
  const lines = text.split("\n").map((line) => termsOf(line).flatMap((term) => wanted.get(term) ?? []));
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
  return { together: most / asked.length, inOrder: pairs.size / Math.max(1, asked.length - 1) };
}
