import { TRIGRAM_BITS, trigramClassOf, type TrigramCounts } from "./trigrams.ts";

const CLASSES = 2 ** TRIGRAM_BITS;

/** Characters from the commonest in code on; others are rarer than any. */
const COMMONEST = Array.from(' etraisonlcdpum.,()=;fgh_"bvyw{x/k-0123456789<[jqz*#!', (character) =>
  trigramClassOf(character.charCodeAt(0)),
);
const RARITY = Uint8Array.from({ length: CLASSES }, (_, own) => {
  const place = COMMONEST.indexOf(own);
  return place === -1 ? COMMONEST.length : place;
});

/** The greater, the fewer chunks are likely to hold the trigram. */
function rarityOf(code: number): number {
  const mask = CLASSES - 1;
  return (RARITY[code >>> (2 * TRIGRAM_BITS)] ?? 0) + (RARITY[(code >>> TRIGRAM_BITS) & mask] ?? 0) + (RARITY[code & mask] ?? 0);
}

/** Trigrams of one place share letters, and say little beside each other. */
const APART = 2;

/**
 * The rarest of a literal's trigrams in its order, `most` of them at the most, and no more than are needed to leave about `few` of the
 * sample's chunks: each one more is a list to be read in every segment.
 */
export function tellingTrigrams(
  trigrams: readonly number[],
  { counts, most, few }: { readonly counts: TrigramCounts; readonly most: number; readonly few: number },
): readonly number[] {
  const places = trigrams.map((trigram, place) => ({ trigram, place, count: counts[trigram] ?? 0 }));
  const chosen: typeof places = [];
  for (const candidate of places.toSorted((one, other) => one.count - other.count)) {
    const [rarest] = chosen;
    if (chosen.length === most || (rarest !== undefined && rarest.count <= few)) {
      break;
    }
    if (chosen.every(({ place }) => Math.abs(place - candidate.place) >= APART)) {
      chosen.push(candidate);
    }
  }
  return chosen.map(({ trigram }) => trigram);
}

/** At most so many, from all over the text, as neighbours say much the same: of each stretch the one that is likely to be the rarest. */
export function rarestTrigrams(trigrams: readonly number[], most: number): readonly number[] {
  const stretches = Math.min(most, trigrams.length);
  return Array.from({ length: stretches }, (_, stretch) => {
    const [from, to] = [stretch, stretch + 1].map((at) => Math.floor((at * trigrams.length) / stretches));
    return trigrams.slice(from, to).reduce((one, other) => (rarityOf(other) > rarityOf(one) ? other : one));
  });
}
