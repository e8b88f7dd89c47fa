/**
 * Which chunks of a segment hold three characters in a row, so that a literal is looked for in those alone that hold all of its threes.
 * Characters are put into 63 classes, the same in either case: signs that stand for each other share one, as do those beyond ASCII; the
 * ends of lines separate. So the index finds too many rather than too few, and who uses it compares the text.
 */
export const TRIGRAM_BITS = 6;
/** How many trigrams there are. */
export const TRIGRAM_CODES: number = 2 ** (TRIGRAM_BITS * 3);
const CLASSES = 2 ** TRIGRAM_BITS;
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_";
/** Code is as much of these as of letters; by them `if (line` is told from `line`. */
const SIGNS = [" \t", "(", ")", ".", ",", ";:", "=", "\"'`", "{}", "[]", "<>", "-+", "/\\", "*&|^%", "#$@", "!?~"];
/** First of the classes that characters beyond ASCII share. */
const SHARED = LETTERS.length + SIGNS.length + 1;

const classes = Uint8Array.from({ length: 65_536 }, (_, unit) => classOf(unit));

function classOf(unit: number): number {
  if (unit >= 0xd800 && unit <= 0xdfff) {
    return SHARED;
  }
  const lower = foldCase(String.fromCharCode(unit)).charCodeAt(0);
  if (lower >= 0x80) {
    return SHARED + (lower % (CLASSES - SHARED));
  }
  const letter = String.fromCharCode(lower);
  const place = LETTERS.indexOf(letter);
  return place === -1 ? classOfSign(letter) : place + 1;
}

/** 0 for the ends of lines and the other characters that nobody sees. */
function classOfSign(sign: string): number {
  const place = SIGNS.findIndex((signs) => signs.includes(sign));
  return place === -1 ? 0 : LETTERS.length + place + 1;
}

/**
 * The same for letters that are one to whoever ignores case, also the long s or the two small sigmas. Letter by letter: in a whole text
 * a letter's other case may depend on its neighbours.
 */
function foldCase(letter: string): string {
  const upper = letter.toUpperCase();
  const plain = upper.length === 1 ? upper : letter.normalize("NFKC").charAt(0);
  return (plain.toUpperCase().length === 1 ? plain.toUpperCase() : plain).toLowerCase();
}

/** The class of a UTF-16 unit in trigrams; 0 for characters that separate. */
export function toTrigramClass(unit: number): number {
  return classes[unit] ?? 0;
}

/** The trigrams of a run of classes, each once. */
export function trigramsOfClasses(run: readonly number[]): readonly number[] {
  const codes = new Set<number>();
  for (let at = 2; at < run.length; at++) {
    const [one = 0, two = 0, three = 0] = [run[at - 2], run[at - 1], run[at]];
    if (one !== 0 && two !== 0 && three !== 0) {
      codes.add((((one << TRIGRAM_BITS) | two) << TRIGRAM_BITS) | three);
    }
  }
  return [...codes];
}

/** Calls `visit` with the code of each three characters in a row, as often as they are there. */
export function visitTrigrams(text: string, visit: (code: number) => void): void {
  let code = 0;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const own = classes[text.charCodeAt(at)] ?? 0;
    run = own === 0 ? 0 : run + 1;
    code = ((code << TRIGRAM_BITS) | own) & (TRIGRAM_CODES - 1);
    if (run > 2) {
      visit(code);
    }
  }
}

/** The trigrams of a literal, each once; none where no three characters are in a row on a line. */
export function listTrigrams(literal: string): readonly number[] {
  const codes = new Set<number>();
  visitTrigrams(literal, (code) => codes.add(code));
  return [...codes];
}

/** How many chunks of a sample hold each trigram. */
export type TrigramCounts = Uint16Array;

/** Counts the chunks of a whole segment that hold each trigram, from its blocks. */
export function countTrigrams(blocks: readonly TrigramBlock[]): TrigramCounts {
  const counts = new Uint16Array(TRIGRAM_CODES);
  for (const { first, lists } of blocks) {
    const read = new Reader(lists);
    let code = first;
    while (read.at < lists.length) {
      code += read.number();
      const length = read.number();
      // Most gaps take a byte, so that bytes count chunks well enough to tell the rare from the common.
      counts[code] = Math.min(length, 65_535);
      read.at += length;
    }
  }
  return counts;
}

/** Lists of neighbouring trigrams: of each, how far it is from the one before, the list's bytes, and the gaps between the ordinals in it. */
export type TrigramBlock = {
  /** No trigram of the block is smaller; the first block of a segment begins with 0. */
  readonly first: number;
  readonly lists: Buffer;
};

/** The chunks that hold the trigram, by rising ordinal, by the blocks of their segment that were read. */
export function readList(blocks: readonly TrigramBlock[], wanted: number): readonly number[] {
  const block = blocks.findLast(({ first }) => first <= wanted);
  if (block === undefined) {
    return [];
  }
  const read = new Reader(block.lists);
  let code = block.first;
  while (read.at < block.lists.length) {
    code += read.number();
    const length = read.number();
    if (code === wanted) {
      return read.ordinals(length);
    }
    read.at += length;
  }
  return [];
}

class Reader {
  at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): number {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.at++] ?? 0;
      number |= (byte & 127) << shift;
      if (byte < 128) {
        return number;
      }
    }
  }

  ordinals(length: number): readonly number[] {
    const end = this.at + length;
    const ordinals: number[] = [];
    let ordinal = -1;
    while (this.at < end) {
      ordinal += this.number() + 1;
      ordinals.push(ordinal);
    }
    return ordinals;
  }
}
