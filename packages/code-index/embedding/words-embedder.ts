import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { termsOfWord } from "#store/index/terms.ts";
import { createWordNumbers } from "#store/index/word-numbers.ts";
import { embedLocally, normalise } from "./local-vectors.ts";
import { type Embedder, type EmbedPurpose, toEmbedderIdentity } from "./embedder.ts";

const FILE = new URL("words-model.bin", import.meta.url);

/**
 * A table of 23,000 words of code and of what people say about code, learned from comments and the code below them
 * (`training/README.md`): `retry` is near `try again`, and `persistence` near `keep settings`. A question's words have vectors of
 * their own, since people call things otherwise than code does. No network; words that are not in the table say nothing.
 */
export function createWordsEmbedder(): Embedder {
  const bytes = readFileSync(FILE);
  const { dimensions, embed } = readWordTable(bytes);
  return {
    identity: toEmbedderIdentity({
      provider: "words",
      model: "built-in",
      revision: createHash("sha256").update(bytes).digest("hex").slice(0, 16),
      dimensions,
      documentPrefix: "",
      queryPrefix: "",
    }),
    local: true,
    embed: (texts, { purpose, signal }) => embedLocally(texts, signal, (text) => embed(text, purpose)),
  };
}

/** A word's vector is its scale times its row of small integers; its length is its weight. */
type Table = { readonly scales: Float32Array; readonly rows: Int8Array };

type WordTable = { readonly dimensions: number; readonly embed: (text: string, purpose: EmbedPurpose) => Float32Array };

const MAGIC = "SLVT";
const VERSION = 1;
/** The magic and six numbers: version, words, dimensions, tables, buckets (none), bytes of the words. */
const HEADER_BYTES = 28;

/**
 * Reads the file that `training/train.py` writes (little endian): the header, the words with a line feed between them, and two
 * tables, of code and of questions: scales (float32), then rows (int8), each table at a multiple of four bytes.
 *
 * @throws {Error} when the bytes are no such file.
 */
export function readWordTable(bytes: Uint8Array): WordTable {
  // A copy begins at 0, so that the tables are aligned whatever the bytes are a part of.
  const data = new Uint8Array(bytes).buffer;
  const view = new DataView(data);
  if (data.byteLength < HEADER_BYTES || new TextDecoder().decode(data.slice(0, MAGIC.length)) !== MAGIC) {
    throw new Error("not a table of words");
  }
  const [version, count = 0, dimensions = 0, tables, buckets, wordBytes = 0] = [4, 8, 12, 16, 20, 24].map((at) => view.getUint32(at, true));
  if (version !== VERSION || tables !== 2 || buckets !== 0) {
    throw new Error("a table of words of another version");
  }
  const words = new TextDecoder().decode(data.slice(HEADER_BYTES, HEADER_BYTES + wordBytes)).split("\n");
  const rowOf = new Map(words.map((word, row) => [word, row]));
  const tableBytes = count * (4 + dimensions);
  const first = align(HEADER_BYTES + wordBytes);
  const readTable = (at: number): Table => ({
    scales: new Float32Array(data, at, count),
    rows: new Int8Array(data, at + 4 * count, count * dimensions),
  });
  const table = { document: readTable(first), query: readTable(align(first + tableBytes)) };
  const rowsOf = createRowsOf(rowOf);
  /** How often each row's term is in the text at hand. */
  const counts = new Uint32Array(count);
  return {
    dimensions,
    embed: (text, purpose) => {
      const met: number[] = [];
      rowsOf(text, (row) => {
        const times = counts[row] ?? 0;
        if (times === 0) {
          met.push(row);
        }
        counts[row] = times + 1;
      });
      const sum = new Float32Array(dimensions);
      for (const row of met) {
        const times = counts[row] ?? 0;
        add(sum, table[purpose], { row, weight: purpose === "query" ? Math.log1p(times) : Math.sqrt(times) });
        counts[row] = 0;
      }
      return normalise(sum);
    },
  };
}

/** Words remembered at once, some 10 MB of them. */
const MAX_WORDS = 100_000;

/** Visits the rows of the terms that a text's words are made of. Code repeats its words, so that they are remembered for each. */
function createRowsOf(rowOf: ReadonlyMap<string, number>): (text: string, visit: (row: number) => void) => void {
  const rows: (readonly number[])[] = [];
  const begin = () => createWordNumbers((word) => rows.push(termsOfWord(word).flatMap((term) => rowOf.get(term) ?? [])));
  let words = begin();
  return (text, visit) => {
    if (rows.length > MAX_WORDS) {
      rows.length = 0;
      words = begin();
    }
    for (const word of words.read(text)) {
      for (const row of rows[word] ?? []) {
        visit(row);
      }
    }
  };
}

function align(at: number): number {
  return Math.ceil(at / 4) * 4;
}

function add(sum: Float32Array, { scales, rows }: Table, { row, weight }: { readonly row: number; readonly weight: number }): void {
  const factor = weight * (scales[row] ?? 0);
  const from = row * sum.length;
  for (let at = 0; at < sum.length; at++) {
    sum[at] = (sum[at] ?? 0) + factor * (rows[from + at] ?? 0);
  }
}
