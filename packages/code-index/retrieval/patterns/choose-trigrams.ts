import { TRIGRAM_BITS, trigramClassOf, type TrigramCounts } from "#store/index/trigrams.ts";

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
/** The rarest of a literal's trigrams, by how common they are in a sample, the rarest first. */
export function tellingTrigrams(trigrams: readonly number[], counts: TrigramCounts, most: number): readonly number[] {
  const byRarity = trigrams
    .map((trigram, place) => ({ trigram, place, count: counts[trigram] ?? 0 }))
    .toSorted((one, other) => one.count - other.count);
  const chosen: typeof byRarity = [];
  // Those beside each other only where there are no others.
  for (const apart of [APART, 1]) {
    for (const candidate of byRarity) {
      if (chosen.length < most && chosen.every(({ place }) => Math.abs(place - candidate.place) >= apart)) {
        chosen.push(candidate);
      }
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
