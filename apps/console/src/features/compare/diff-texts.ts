import { diffWordsWithSpace } from "diff";

/** A stretch of two texts: of both, or of one alone. */
export type DiffWords = { readonly kind: "same" | "a" | "b"; readonly text: string };

/** Texts that differ by more, or take longer, are shown one after the other. */
const MAX_EDITS = 1_000;
const TIMEOUT_MS = 300;
/** The share of the shorter text that both must have for one to be read as a change of the other. */
const MIN_SHARED = 0.4;

/** Two texts as one, word by word; undefined when they have so little in common that each is read better for itself. */
export function toDiffWords(a: string, b: string): readonly DiffWords[] | undefined {
  const parts = diffWordsWithSpace(a, b, { maxEditLength: MAX_EDITS, timeout: TIMEOUT_MS });
  const words = parts?.map(({ value, added, removed }): DiffWords => ({ kind: added ? "b" : removed ? "a" : "same", text: value }));
  const shared = words?.filter(({ kind }) => kind === "same").reduce((sum, { text }) => sum + lettersIn(text), 0) ?? 0;
  return shared > 0 && shared >= MIN_SHARED * Math.min(lettersIn(a), lettersIn(b)) ? words : undefined;
}

function lettersIn(text: string): number {
  return text.replaceAll(/\s/g, "").length;
}
