import { embedLocally, normalise } from "./local-vectors.ts";
import { type Embedder, toEmbedderIdentity } from "./embedder.ts";

/**
 * The words that most chunks of code hold, the commonest first: counted over ten repositories in nine languages. They
 * stand for the frequencies in a tenant's own code, which change with every push and would make its vectors wrong.
 */
const COMMON_WORDS = `
  if the return to is a for src in of 0 this and not type string be value t 1 with as get error const new that use or from
  it an main by true on 2 set name code int class default else false self any java public file s none function null 3 data
  static are can str object request will def context all h no param void has bool result std url exception size see
  include com method options import ts json when c f format at used may config number fmt path we instance let returns
  types char key async http n err create write read map fn only base final version node should p e i next add length
  packages using private time end response try boolean link js app list template stream server current since d 8 64 case
  func k which internal must you so go status throw util without bytes https append start id b max struct out have raw but
  empty client values auto content assert index export except first override cc ignore buffer handle lib db copy make
  parse check uint utils call array non state handler one ok headers module throws send 4 runtime message slice either
  build logger v same files await builder raise sync while into level len was undefined some init output errors given 32
  do typename found license other namespace header log env iterator cast copyright r more interface 5 text package range
  example then required info after view x ctx before pre close pub timeout invalid query debug specific num instead field
  kind remove 10 last count constexpr block valid source args join typing argument than match thread route impl test
  extends var delete like byte nil each schema environment specified reader does long
`;

const RANKS = new Map(
  COMMON_WORDS.trim()
    .split(/\s+/)
    .map((word, index) => [word, index + 1]),
);

const MIN_WEIGHT = 0.3;

/** A word's weight from 0.3 to 1, as its inverse document frequency goes with its rank. */
function weightOf(word: string): number {
  const rank = RANKS.get(word);
  return rank === undefined ? 1 : MIN_WEIGHT + (1 - MIN_WEIGHT) * (Math.log(rank) / Math.log(RANKS.size)) ** 2;
}

/** Raised with every change of what follows: vectors of two rules can't be compared. */
const REVISION = "2";
const DIMENSIONS = 256;

/**
 * Words of identifiers, and their three- and four-letter pieces, hashed with a sign into 256 dimensions, common words
 * for less; the same text gives the same vector on every machine. It knows spelling, not meaning: `retry` is near
 * `retries`, and not near `try again`.
 */
export function createHashEmbedder(): Embedder {
  const known: Vocabulary = new Map();
  return {
    identity: toEmbedderIdentity({
      provider: "hash",
      model: "built-in",
      revision: REVISION,
      dimensions: DIMENSIONS,
      documentPrefix: "",
      queryPrefix: "",
    }),
    local: true,
    embed: (texts, { signal }) => embedLocally(texts, signal, (text) => vectorOf(text, known)),
  };
}

const WORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;
/** The same words, found four times as fast. */
const ASCII_WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
// oxlint-disable-next-line no-control-regex -- it asks whether every character is ASCII
const ASCII = /^[\x00-\x7f]*$/;

/** A word's pieces weigh less than the word, so that they only help where the word itself is not found. */
const PIECE_WEIGHT = 0.35;
const PIECE_LENGTHS = [3, 4] as const;

function vectorOf(text: string, known: Vocabulary): Float32Array {
  if (known.size > MAX_KNOWN_WORDS) {
    known.clear();
  }
  const words: Word[] = [];
  for (const found of text.match(ASCII.test(text) ? ASCII_WORD : WORD) ?? []) {
    const word = known.get(found) ?? learn(found, known);
    if (word.count === 0) {
      words.push(word);
    }
    word.count++;
  }
  const vector = new Float32Array(DIMENSIONS);
  for (const word of words) {
    // The tenth occurrence says less than the second.
    const weight = Math.sqrt(word.count) * word.weight;
    word.count = 0;
    add(vector, word.place, weight);
    for (const piece of word.pieces) {
      add(vector, piece, weight * PIECE_WEIGHT);
    }
  }
  return normalise(vector);
}

/** A place in the vector, counted from 1; below 0 where it is subtracted. */
type Bucket = number;

type Word = {
  readonly place: Bucket;
  readonly pieces: Int16Array;
  readonly weight: number;
  /** Occurrences in the text that is being embedded. */
  count: number;
};

/** By spelling. Code repeats its words, so most need not be worked out again; all of them take about 10 MB. */
type Vocabulary = Map<string, Word>;
const MAX_KNOWN_WORDS = 20_000;

/** Longer words are encoded data. */
const MAX_WORD_LENGTH = 40;

function learn(found: string, known: Vocabulary): Word {
  const spelling = copyOf(found.slice(0, MAX_WORD_LENGTH));
  const lower = spelling.toLowerCase();
  const word = known.get(lower) ?? workOut(lower);
  known.set(lower, word);
  known.set(spelling, word);
  return word;
}

/** A piece of a text keeps the whole text in memory. */
function copyOf(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

function workOut(word: string): Word {
  const framed = `^${word}$`;
  const pieces: Bucket[] = [];
  for (const length of PIECE_LENGTHS) {
    for (let start = 0; start + length <= framed.length; start++) {
      pieces.push(placeOf(framed.slice(start, start + length)));
    }
  }
  return { place: placeOf(word), pieces: Int16Array.from(pieces), weight: weightOf(word), count: 0 };
}

/** The sign comes from a bit that does not choose the place: collisions cancel out instead of adding up. */
function placeOf(feature: string): Bucket {
  const hash = fnv1a(feature);
  const place = (hash % DIMENSIONS) + 1;
  return (hash >>> 31) & 1 ? place : -place;
}

function add(vector: Float32Array, place: Bucket, weight: number): void {
  const at = Math.abs(place) - 1;
  vector[at] = (vector[at] ?? 0) + (place > 0 ? weight : -weight);
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
