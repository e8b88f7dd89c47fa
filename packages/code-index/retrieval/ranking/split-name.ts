import { splitTerms } from "#store/index/terms.ts";
import { memoizeRecent } from "./memoize.ts";

/** A name, taken apart. */
export type SplitName = {
  /** Its words as the index has them: of several the whole stands before its parts. */
  readonly terms: readonly string[];
  /** The words that it is made of, and the whole only where there are no others: `httpServer` is http, server. */
  readonly parts: readonly string[];
};

/** Names of a few hundred bytes each. */
const MAX_NAMES = 10_000;

export const splitName: (name: string) => SplitName = memoizeRecent(MAX_NAMES, (name) => {
  const terms = splitTerms(name);
  return { terms, parts: partsOf(/[.-]/.test(name) ? splitTerms(name.replaceAll(/[.-]/g, "_")) : terms) };
});

function partsOf([whole, ...parts]: readonly string[]): readonly string[] {
  return parts.length > 0 ? [...new Set(parts)] : whole === undefined ? [] : [whole];
}
