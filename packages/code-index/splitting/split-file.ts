import type { Tree } from "web-tree-sitter";
import { findNames, type Definition } from "./find-names.ts";
import type { Grammar } from "./grammars.ts";
import { readSourceText, type SourceText } from "./source-text.ts";
import { splitText, type Piece } from "./split-lines.ts";
import { cutsOf } from "./split-tree.ts";

/** A piece of a file as it is searched. */
export type SplitChunk = {
  readonly start_line: number;
  readonly end_line: number;
  readonly start_byte: number;
  readonly end_byte: number;
  /** Names that it defines, each once, in order. */
  readonly symbols: readonly string[];
  /** The definitions it is inside of, from the outermost: `Server › start`. */
  readonly scope: string;
  readonly content: string;
};

/** A name that a file defines. */
export type SymbolDefinition = {
  readonly name: string;
  /** function, method, class, interface, type, enum, constant, module, macro. */
  readonly kind: string;
  readonly start_line: number;
  readonly end_line: number;
  /** The definitions it is inside of. */
  readonly scope: string;
};

export type SplitFile = {
  /** The file when put together. */
  readonly chunks: readonly SplitChunk[];
  readonly definitions: readonly SymbolDefinition[];
  /** Names that it uses (calls, types, imports …), each once. */
  readonly references: readonly string[];
};

/** What a chunk defines; more are of no use in a search. */
const MOST_SYMBOLS = 50;
const MOST_SCOPE = 300;
/** A file that takes longer is cut by lines. */
const PARSING_MS = 5_000;

// Bytes that are not UTF-8 become U+FFFD; offsets stay those of the file.
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Cuts a file into chunks that are the file when put together: along its syntax where there is a grammar, else by lines.
 * No chunk has more than {@link MOST_CHARACTERS} characters that are not white space.
 */
export function splitFile(content: Buffer, grammar: Grammar | undefined): SplitFile {
  const source = grammar === undefined ? undefined : readSourceText(content);
  const tree = grammar === undefined || source === undefined ? undefined : parse(source.text, grammar);
  if (grammar === undefined || source === undefined || tree === undefined) {
    return { chunks: splitText(content).map((piece) => chunkOf(content, piece, [])), definitions: [], references: [] };
  }
  try {
    return splitParsed(content, source, tree, grammar);
  } finally {
    tree.delete();
  }
}

function parse(text: string, { parser }: Grammar): Tree | undefined {
  const deadline = performance.now() + PARSING_MS;
  const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
  if (tree === null) {
    parser.reset();
  }
  return tree ?? undefined;
}

function splitParsed(content: Buffer, source: SourceText, { rootNode }: Tree, { names }: Grammar): SplitFile {
  const { definitions, references } = names === undefined ? { definitions: [], references: [] } : findNames(rootNode, names, source.text);
  const places = definitions.map((definition) => inBytes(definition, source));
  const lineAt = lineCounter(content);
  const cuts = cutsOf(rootNode, source).map((place) => source.byteAt(place));
  const chunks = cuts.flatMap((start, index) => {
    const end = cuts[index + 1] ?? content.length;
    // Where a grammar leaves text outside of its nodes a piece may have become too heavy.
    return splitText(content.subarray(start, end)).map((part) => {
      const [startByte, endByte] = [start + part.startByte, start + part.endByte];
      return chunkOf(content, { startByte, endByte, startLine: lineAt(startByte), endLine: lineAt(endByte - 1) }, places);
    });
  });
  return { chunks, definitions: definitionsOf(definitions, source.text), references };
}

function definitionsOf(definitions: readonly Definition[], text: string): readonly SymbolDefinition[] {
  const lineAt = lineFinder(text);
  return definitions
    .filter(({ kind }) => kind !== "scope")
    .map(({ name, kind, from, to, nameAt }) => ({
      name,
      kind,
      start_line: lineAt(from),
      end_line: lineAt(Math.max(from, to - 1)),
      scope: definitions
        .filter((other) => other.nameAt !== nameAt && other.from <= from && other.to >= to && other.nameAt < nameAt)
        .map((other) => other.name)
        .join(" › ")
        .slice(0, MOST_SCOPE),
    }));
}

/** The line of a place in a text, from 1. */
function lineFinder(text: string): (place: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  return (place) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      [low, high] = (starts[middle] ?? 0) <= place ? [middle, high] : [low, middle];
    }
    return low + 1;
  };
}

function inBytes({ nameAt, from, to, ...definition }: Definition, { byteAt }: SourceText): Definition {
  return { ...definition, nameAt: byteAt(nameAt), from: byteAt(from), to: byteAt(to) };
}

function chunkOf(content: Buffer, { startByte, endByte, startLine, endLine }: Piece, names: readonly Definition[]): SplitChunk {
  const within = names.filter(({ kind, nameAt }) => kind !== "scope" && nameAt >= startByte && nameAt < endByte);
  return {
    start_line: startLine,
    end_line: endLine,
    start_byte: startByte,
    end_byte: endByte,
    symbols: [...new Set(within.map(({ name }) => name))].slice(0, MOST_SYMBOLS),
    scope: scopeOf(names, firstCharacter(content, startByte, endByte)),
    content: lenient.decode(content.subarray(startByte, endByte)),
  };
}

/** What begins before the chunk and goes on in it. */
function scopeOf(names: readonly Definition[], start: number): string {
  const around = names.filter(({ from, to }) => from < start && to > start).map(({ name }) => name);
  return around.join(" › ").slice(0, MOST_SCOPE);
}

function firstCharacter(content: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to - 1 && (content[at] ?? 0) <= 32) {
    at++;
  }
  return at;
}

/** The line of a byte, from 1; for bytes that are asked for in order. */
function lineCounter(content: Buffer): (byte: number) => number {
  let line = 1;
  let counted = 0;
  return (byte) => {
    for (let at = content.indexOf(10, counted); at !== -1 && at < byte; at = content.indexOf(10, at + 1)) {
      line++;
      counted = at + 1;
    }
    return line;
  };
}
