import { TRIGRAM_CODES, visitTrigrams, type TrigramBlock } from "./trigrams.ts";

/** A block of lists of this size is a row that the database keeps in one piece. */
const BLOCK_BYTES = 1_800;

export type TrigramsCollector = {
  /** The chunks in the order of their ordinals, from 0; whether one goes on with the text of the one before. */
  readonly add: (content: string, continues?: boolean) => void;
  readonly packed: () => Generator<TrigramBlock, void, undefined>;
};

export function createTrigramsCollector(): TrigramsCollector {
  const chunks: Uint32Array[] = [];
  /** The trigrams of the chunk that is being read, each once, and a bit for each: few enough to stay in the processor's nearest cache. */
  const found = new Uint32Array(TRIGRAM_CODES);
  const seen = new Uint32Array(TRIGRAM_CODES / 32);
  let count = 0;
  let begun = false;
  /** The line that the chunk before has not ended. */
  let open = "";

  function meet(code: number): void {
    const place = code >>> 5;
    const bits = seen[place] ?? 0;
    const own = 1 << (code & 31);
    if ((bits & own) === 0) {
      seen[place] = bits | own;
      found[count++] = code;
    }
  }

  function endChunk(): void {
    if (begun) {
      chunks.push(found.slice(0, count));
    }
    for (let at = 0; at < count; at++) {
      seen[(found[at] ?? 0) >>> 5] = 0;
    }
    count = 0;
    begun = true;
  }

  return {
    // A line that is cut is looked for as a whole: where it ends, all of it is in the list.
    add: (content, continues = false) => {
      if (!continues) {
        visitTrigrams(open, meet);
        open = "";
      }
      endChunk();
      const begin = content.indexOf("\n") + 1;
      if (open !== "" && begin > 0) {
        visitTrigrams(open + content.slice(0, begin), meet);
      }
      visitTrigrams(content, meet);
      open = begin > 0 ? content.slice(content.lastIndexOf("\n") + 1) : open + content;
    },
    packed: function* () {
      visitTrigrams(open, meet);
      endChunk();
      yield* packLists(chunks);
    },
  };
}

/** Turns the trigrams of each chunk into the chunks of each trigram. */
function* packLists(chunks: readonly Uint32Array[]): Generator<TrigramBlock, void, undefined> {
  const { ends, lists } = collectLists(chunks);
  let first = 0;
  let previous = 0;
  let block = new Bytes();
  for (let code = 0, begin = 0; code < TRIGRAM_CODES; code++) {
    const end = ends[code] ?? 0;
    if (end === begin) {
      continue;
    }
    if (block.length > 0 && block.length + end - begin > BLOCK_BYTES) {
      yield { first, lists: block.written() };
      block = new Bytes();
      first = code;
      previous = code;
    }
    block.addNumber(code - previous);
    block.addNumber(end - begin);
    block.add(lists.subarray(begin, end));
    previous = code;
    begin = end;
  }
  if (chunks.length > 0) {
    yield { first, lists: block.written() };
  }
}

/** The lists one behind the other: measured first, then each written to its place. */
function collectLists(chunks: readonly Uint32Array[]): { readonly ends: Uint32Array; readonly lists: Uint8Array } {
  /** Where the next gap of each trigram is written; when all are, where its list ends. */
  const ends = new Uint32Array(TRIGRAM_CODES);
  visitGaps(chunks, (code, gap) => {
    ends[code] = (ends[code] ?? 0) + numberLength(gap);
  });
  let bytes = 0;
  for (let code = 0; code < TRIGRAM_CODES; code++) {
    const length = ends[code] ?? 0;
    ends[code] = bytes;
    bytes += length;
  }
  const lists = new Uint8Array(bytes);
  visitGaps(chunks, (code, gap) => {
    let at = ends[code] ?? 0;
    let rest = gap;
    for (; rest > 127; rest >>>= 7) {
      lists[at++] = (rest & 127) | 128;
    }
    lists[at++] = rest;
    ends[code] = at;
  });
  return { ends, lists };
}

/** The bytes that a gap takes, of which each holds seven bits. */
function numberLength(number: number): number {
  return number < 128 ? 1 : Math.ceil((32 - Math.clz32(number)) / 7);
}

/** Calls `visit` with each trigram of each chunk, and how many chunks since the last one that had it do not. */
function visitGaps(chunks: readonly Uint32Array[], visit: (code: number, gap: number) => void): void {
  /** By trigram the number of the chunk behind the one that had it last. */
  const next = new Uint32Array(TRIGRAM_CODES);
  for (const [ordinal, codes] of chunks.entries()) {
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at] ?? 0;
      visit(code, ordinal - (next[code] ?? 0));
      next[code] = ordinal + 1;
    }
  }
}

class Bytes {
  length = 0;
  #bytes = Buffer.allocUnsafeSlow(8);

  addNumber(number: number): void {
    let rest = number;
    this.#makeRoom(5);
    while (rest > 127) {
      this.#bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.length++] = rest;
  }

  add(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  written(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  #makeRoom(bytes: number): void {
    if (this.length + bytes > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.length + bytes));
      larger.set(this.written());
      this.#bytes = larger;
    }
  }
}
