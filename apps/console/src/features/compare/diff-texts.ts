import { diffWordsWithSpace } from "diff";

/** A stretch of two texts: of both, or of one alone. */
export type DiffWords = { readonly kind: "same" | "a" | "b"; readonly text: string };

/** Texts that differ by more, or take longer, are shown one after the other. */
const MAX_EDITS = 1_000;
const TIMEOUT_MS = 300;
/** Characters that are compared word by word; longer texts are compared by lines. */
export const MAX_WORDS = 20_000;

export function toDiffWords(a: string, b: string): readonly DiffWords[] {
  const parts = diffWordsWithSpace(a, b, { maxEditLength: MAX_EDITS, timeout: TIMEOUT_MS });
  return parts === undefined
    ? [
        { kind: "a", text: a },
        { kind: "b", text: b },
      ]
    : parts.map(({ value, added, removed }) => ({ kind: added ? "b" : removed ? "a" : "same", text: value }));
}
