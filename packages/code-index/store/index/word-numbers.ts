import { isAscii, MAX_WORD_LENGTH, truncateWord, splitWords } from "./terms.ts";

/** Numbers words from 0 by their first occurrence, so that whoever counts those of many texts has no string made of each. */
export type WordNumbers = {
  /** The numbers of a text's words, in order, with repetitions; the next call writes over them. */
  readonly read: (text: string) => Uint32Array;
};

/** FNV-1a's. */
const HASH_BASIS = 0x811c9dc5 | 0;
const HASH_PRIME = 0x01000193;

/** The characters of a word that is ASCII. */
const IN_WORD = Uint8Array.from({ length: 128 }, (_, unit) => splitWords(String.fromCharCode(unit)).length);

/** `learn` is told each new word, a part of the text and cut to the length of a term; its number is how many it was told before. */
export function createWordNumbers(learn: (word: string) => void): WordNumbers {
  /** By place a word's number and one, 0 where there is none; at most half of it is taken. */
  let table = new Uint32Array(2_048);
  let hashes = new Int32Array(1_024);
  /** Where the characters of each word begin; behind them those of the next. */
  let begins = new Uint32Array(1_025);
  let characters = new Uint16Array(8_192);
  let size = 0;
  let numbers = new Uint32Array(1_024);
  let count = 0;

  function meet(text: string, from: number, to: number): void {
    let hash = HASH_BASIS;
    for (let at = from; at < to; at++) {
      hash = Math.imul(hash ^ text.charCodeAt(at), HASH_PRIME);
    }
    let place = placeOf(hash);
    let number = (table[place] ?? 0) - 1;
    while (number !== -1 && (hashes[number] !== hash || !isWord(number, text, from, to))) {
      place = (place + 1) & (table.length - 1);
      number = (table[place] ?? 0) - 1;
    }
    if (number === -1) {
      number = keep(text.slice(from, to), hash);
      table[place] = size;
      if (size * 2 > table.length) {
        growTable();
      }
    }
    if (count === numbers.length) {
      numbers = new Uint32Array(numbers.buffer.transfer(count * 8));
    }
    numbers[count++] = number;
  }

  /** FNV's low bits of short texts are alike; this mixes the high ones in. */
  function placeOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & (table.length - 1);
  }

  function isWord(number: number, text: string, from: number, to: number): boolean {
    let at = begins[number] ?? 0;
    if ((begins[number + 1] ?? 0) - at !== to - from) {
      return false;
    }
    for (let place = from; place < to; place++) {
      if (characters[at++] !== text.charCodeAt(place)) {
        return false;
      }
    }
    return true;
  }

  function keep(word: string, hash: number): number {
    const number = size++;
    const begin = begins[number] ?? 0;
    const end = begin + word.length;
    if (size === hashes.length) {
      hashes = new Int32Array(hashes.buffer.transfer(size * 8));
      begins = new Uint32Array(begins.buffer.transfer(size * 8 + 4));
    }
    if (end > characters.length) {
      characters = new Uint16Array(characters.buffer.transfer(characters.length * 4));
    }
    for (let at = 0; at < word.length; at++) {
      characters[begin + at] = word.charCodeAt(at);
    }
    begins[size] = end;
    hashes[number] = hash;
    learn(word);
    return number;
  }

  function growTable(): void {
    table = new Uint32Array(table.length * 2);
    for (let number = 0; number < size; number++) {
      let place = placeOf(hashes[number] ?? 0);
      while (table[place] !== 0) {
        place = (place + 1) & (table.length - 1);
      }
      table[place] = number + 1;
    }
  }

  function readAscii(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const from = at;
      while (at < text.length && IN_WORD[text.charCodeAt(at)] === 1) {
        at++;
      }
      if (at > from) {
        meet(text, from, Math.min(at, from + MAX_WORD_LENGTH));
      }
    }
  }

  return {
    read: (text) => {
      count = 0;
      if (isAscii(text)) {
        readAscii(text);
      } else {
        for (const word of splitWords(text).map(truncateWord)) {
          meet(word, 0, word.length);
        }
      }
      return numbers.subarray(0, count);
    },
  };
}
