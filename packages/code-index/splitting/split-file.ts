import type { Tree } from "web-tree-sitter";
import { findHeadings, findNames, type Definition, type Names } from "./find-names.ts";
import type { Grammar } from "./grammars.ts";
import { parseSource, type Script } from "./parse-source.ts";
import { readSourceText, type SourceText } from "./source-text.ts";
import { MAX_CHUNK_CHARACTERS, splitText, type Piece } from "./split-lines.ts";
import { findCuts } from "./split-tree.ts";

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

export type SymbolDefinition = {
  readonly name: string;
  /** As `symbolKindSchema` has them. */
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
const MAX_SYMBOLS = 50;
const MAX_SCOPE_LENGTH = 300;
const NO_NAMES: Names = { definitions: [], references: [] };

/**
 * Cuts a file into chunks that are the file when put together: along its syntax where there is a grammar, else by lines.
 * No chunk has more than {@link MAX_CHUNK_CHARACTERS} characters that are not white space.
 */
export function splitFile(content: Buffer, language: string, grammar: Grammar | undefined): SplitFile {
  const source = readSourceText(content);
  if (language === "markdown") {
    return assemble(source, splitText(source), { definitions: findHeadings(source.text), references: [] });
  }
  const parsed = grammar === undefined || content.length > grammar.maxBytes ? undefined : parseSource(source, grammar);
  if (grammar === undefined || parsed === undefined) {
    return assemble(source, splitText(source), NO_NAMES);
  }
  const { tree, scripts } = parsed;
  try {
    const names = grammar.names === undefined ? NO_NAMES : findNames(tree.rootNode, grammar.names, source.text);
    const cuts = new Set(scripts === undefined ? findCuts(tree.rootNode, source) : cutsOfPage(scripts, tree, source));
    return assemble(
      source,
      piecesOf(
        [...cuts].toSorted((one, other) => one - other),
        source,
      ),
      names,
    );
  } finally {
    tree.delete();
  }
}

/** A small page stays whole; else its scripts are cut along their syntax, and what is around them by lines. */
function cutsOfPage(scripts: readonly Script[], { rootNode }: Tree, source: SourceText): readonly number[] {
  if (source.weightOf(0, source.text.length) <= MAX_CHUNK_CHARACTERS) {
    return [0];
  }
  const edges = scripts.flatMap(({ begins, ends }) => [begins, ends]).filter((edge) => edge < source.text.length);
  return [...findCuts(rootNode, source), ...edges];
}

function piecesOf(cuts: readonly number[], source: SourceText): readonly Piece[] {
  return cuts.flatMap((from, index) => {
    const piece = { from, to: cuts[index + 1] ?? source.text.length };
    // Where a grammar leaves text outside of its nodes a piece may have become too heavy.
    return source.weightOf(from, piece.to) > MAX_CHUNK_CHARACTERS ? splitText(source, piece) : [piece];
  });
}

function assemble(source: SourceText, pieces: readonly Piece[], { definitions, references }: Names): SplitFile {
  const around = enclosing(definitions);
  let next = 0;
  const chunks = pieces.map(({ from, to }): SplitChunk => {
    const symbols = new Set<string>();
    for (let found = definitions[next]; found !== undefined && found.nameAt < to; found = definitions[++next]) {
      if (found.kind !== "scope" && symbols.size < MAX_SYMBOLS) {
        symbols.add(found.name);
      }
    }
    return {
      start_line: source.lineAt(from),
      end_line: source.lineAt(to - 1),
      start_byte: source.byteAt(from),
      end_byte: source.byteAt(to),
      symbols: [...symbols],
      scope: scopeOf(around(firstCharacter(source, from, to))),
      content: source.text.slice(from, to),
    };
  });
  return { chunks, definitions: describe(definitions, source), references };
}

function describe(definitions: readonly Definition[], source: SourceText): readonly SymbolDefinition[] {
  const around = enclosing(definitions);
  return definitions.flatMap((definition) => {
    const { name, kind, from, to, nameAt } = definition;
    const outer = around(nameAt).filter((other) => other.from !== from || other.to !== to);
    const lines = { start_line: source.lineAt(from), end_line: source.lineAt(Math.max(from, to - 1)) };
    const scope = [scopeOf(outer), definition.receiver ?? ""].filter((part) => part !== "").join(" › ");
    return kind === "scope" ? [] : [{ name, kind, ...lines, scope }];
  });
}

function scopeOf(definitions: readonly Definition[]): string {
  return definitions
    .flatMap(({ receiver, name }) => (receiver === undefined ? [name] : [receiver, name]))
    .join(" › ")
    .slice(0, MAX_SCOPE_LENGTH)
    .toWellFormed();
}

function firstCharacter({ text }: SourceText, from: number, to: number): number {
  let at = from;
  while (at < to - 1 && text.charCodeAt(at) <= 32) {
    at++;
  }
  return at;
}

/** Says which definitions begin before a place and go on behind it, from the outermost; for places asked for in rising order. */
function enclosing(definitions: readonly Definition[]): (place: number) => readonly Definition[] {
  const waiting = definitions.toSorted((one, other) => one.from - other.from || other.to - one.to);
  let next = 0;
  let open: readonly Definition[] = [];
  return (place) => {
    const begun: Definition[] = [];
    for (let definition = waiting[next]; definition !== undefined && definition.from < place; definition = waiting[++next]) {
      begun.push(definition);
    }
    open = [...open, ...begun].filter(({ to }) => to > place);
    return open;
  };
}
