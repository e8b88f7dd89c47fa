import { intersect, type Rising } from "#store/index/intersect.ts";
import { trigramsOfClasses, TRIGRAM_BITS, toTrigramClass, type TrigramCounts } from "#store/index/trigrams.ts";

const CLASSES = 2 ** TRIGRAM_BITS;

/** Characters from the commonest in code on; others are rarer than any. */
const COMMONEST = Array.from(' etraisonlcdpum.,()=;fgh_"bvyw{x/k-0123456789<[jqz*#!', (character) =>
  toTrigramClass(character.charCodeAt(0)),
);
const RARITY = Uint8Array.from({ length: CLASSES }, (_, own) => {
  const place = COMMONEST.indexOf(own);
  return place === -1 ? COMMONEST.length : place;
});

/** An estimate that needs no index: the higher, the fewer chunks are likely to hold the trigram. */
function rarityOf(code: number): number {
  const mask = CLASSES - 1;
  return (RARITY[code >>> (2 * TRIGRAM_BITS)] ?? 0) + (RARITY[(code >>> TRIGRAM_BITS) & mask] ?? 0) + (RARITY[code & mask] ?? 0);
}

/** Chosen trigrams lie at least this far apart: neighbours share letters and narrow little down. */
const APART = 2;
/** The rarest of a literal's trigrams, by how common they are in a sample, the rarest first. */
export function selectiveTrigrams(trigrams: readonly number[], counts: TrigramCounts, max: number): readonly number[] {
  const byRarity = trigrams
    .map((trigram, place) => ({ trigram, place, count: counts[trigram] ?? 0 }))
    .toSorted((one, other) => one.count - other.count);
  const chosen: typeof byRarity = [];
  // Neighbours only where there are no others left.
  for (const apart of [APART, 1]) {
    for (const candidate of byRarity) {
      if (chosen.length < max && chosen.every(({ place }) => Math.abs(place - candidate.place) >= apart)) {
        chosen.push(candidate);
      }
    }
  }
  return chosen.map(({ trigram }) => trigram);
}

/** At most `max` trigrams, spread over the text: the likely rarest of each stretch, since neighbours narrow down much the same. */
function rarestTrigrams(trigrams: readonly number[], max: number): readonly number[] {
  const stretches = Math.min(max, trigrams.length);
  return Array.from({ length: stretches }, (_, stretch) => {
    const [from, to] = [stretch, stretch + 1].map((at) => Math.floor((at * trigrams.length) / stretches));
    return trigrams.slice(from, to).reduce((one, other) => (rarityOf(other) > rarityOf(one) ? other : one));
  });
}

/** What a chunk that holds a match must hold: a condition that lets too much through rather than too little. */
export type TrigramQuery = { readonly kind: "any" } | Narrowing;

type Narrowing =
  /** Letters in a row, all on one line. */
  { readonly kind: "run"; readonly trigrams: readonly number[] } | { readonly kind: "and" | "or"; readonly parts: readonly Narrowing[] };

export const ANY: TrigramQuery = { kind: "any" };

/** More trigrams of a run hardly narrow the chunks further. */
const MAX_RUN_TRIGRAMS = 8;

/** The condition of a text that is given by the classes of its letters. */
export function queryOfRun(classes: readonly number[]): TrigramQuery {
  const trigrams = rarestTrigrams(trigramsOfClasses(classes), MAX_RUN_TRIGRAMS);
  return trigrams.length === 0 ? ANY : { kind: "run", trigrams };
}

export function and(one: TrigramQuery, other: TrigramQuery): TrigramQuery {
  if (one.kind === "any" || other.kind === "any") {
    return one.kind === "any" ? other : one;
  }
  return { kind: "and", parts: [...partsOf(one, "and"), ...partsOf(other, "and")] };
}

export function or(alternatives: readonly TrigramQuery[]): TrigramQuery {
  const narrowing = alternatives.filter((part) => part.kind !== "any");
  if (narrowing.length === 0 || narrowing.length < alternatives.length) {
    return ANY;
  }
  const parts = new Map(narrowing.flatMap((part) => partsOf(part, "or")).map((part) => [JSON.stringify(part), part]));
  const [only] = parts.values();
  return parts.size === 1 && only !== undefined ? only : { kind: "or", parts: [...parts.values()] };
}

function partsOf(query: Narrowing, kind: "and" | "or"): readonly Narrowing[] {
  return query.kind === kind ? query.parts : [query];
}

/** All trigrams of the query, each once. */
export function trigramsIn(query: TrigramQuery): readonly number[] {
  if (query.kind === "any") {
    return [];
  }
  return query.kind === "run" ? query.trigrams : [...new Set(query.parts.flatMap(trigramsIn))];
}

/** The same condition with fewer trigrams in all, for a database to be asked for: `max` of them at about. */
export function limitTo(query: TrigramQuery, max: number): TrigramQuery {
  const count = trigramsIn(query).length;
  if (count <= max || query.kind === "any") {
    return query;
  }
  if (query.kind === "run") {
    return { kind: "run", trigrams: query.trigrams.slice(0, Math.max(1, max)) };
  }
  if (query.kind === "or" && query.parts.length > max) {
    return ANY;
  }
  const parts = query.parts.slice(0, max);
  const each = Math.max(1, Math.floor(max / parts.length));
  const lighter = parts.map((part) => limitTo(part, each));
  return query.kind === "or" ? or(lighter) : lighter.reduce(and, ANY);
}

type Evaluating = {
  /** The chunks of the segment that hold a trigram. */
  readonly listOf: (trigram: number) => Rising | undefined;
  /** Whether what is on several lines may be in several chunks, so that the best single condition is all that can be asked. */
  readonly isMultiline: boolean;
};

/** The ordinals, rising, of the chunks of a segment that fulfil the condition. */
export function findChunks(query: Narrowing, { listOf, isMultiline }: Evaluating): Rising {
  if (query.kind === "run") {
    return intersect(query.trigrams.map((trigram) => listOf(trigram) ?? NONE));
  }
  const parts = query.parts.map((part) => findChunks(part, { listOf, isMultiline }));
  if (query.kind === "or") {
    return Uint32Array.from(new Set(parts.flatMap((part) => [...part]))).toSorted();
  }
  return isMultiline ? (parts.toSorted((one, other) => one.length - other.length)[0] ?? NONE) : intersect(parts);
}

const NONE = new Uint16Array(0);
