import type { Embedder } from "./embedder.ts";
import { identityOf } from "./identity.ts";

const HASH_REVISION = "1";
const HASH_DIMENSIONS = 256;

export function createHashEmbedder(): Embedder {
  const space = { provider: "hash", model: "built-in", revision: HASH_REVISION, dimensions: HASH_DIMENSIONS };
  return {
    identity: identityOf({ ...space, documentPrefix: "", queryPrefix: "" }),
    local: true,
    embed: (texts) => Promise.resolve(texts.map((text) => ({ vector: embedByHash(text) }))),
  };
}

/** A word's pieces weigh less than the word, so that they only help where the word itself is not found. */
const PIECE_WEIGHT = 0.35;
const PIECE_LENGTHS = [3, 4] as const;

/** Longer words are encoded data. */
const LONGEST = 40;

const WORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;

/**
 * Words of identifiers, and their three- and four-letter pieces, hashed with a sign into
 * 256 dimensions; the same text gives the same vector on every machine and in every
 * version (another rule is another identity). It knows spelling, not meaning: `retry`
 * is near `retries`, and not near `try again`.
 */
function embedByHash(text: string): Float32Array {
  const vector = new Float32Array(HASH_DIMENSIONS);
  for (const [word, count] of countWords(text)) {
    // The tenth occurrence says less than the second.
    const weight = 1 + Math.log(count);
    add(vector, word, weight);
    const framed = `^${word}$`;
    for (const length of PIECE_LENGTHS) {
      for (let start = 0; start + length <= framed.length; start++) {
        add(vector, framed.slice(start, start + length), weight * PIECE_WEIGHT);
      }
    }
  }
  return normalise(vector);
}

function countWords(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const found of text.match(WORD) ?? []) {
    const word = found.slice(0, LONGEST).toLowerCase();
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function add(vector: Float32Array, feature: string, weight: number): void {
  const hash = fnv1a(feature);
  const at = hash % HASH_DIMENSIONS;
  // The sign comes from a bit that does not choose the place: collisions cancel out instead of adding up.
  vector[at] = (vector[at] ?? 0) + ((hash >>> 31) & 1 ? weight : -weight);
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  // FNV's low bits of short texts are alike; this mixes the high ones in.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function normalise(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}
