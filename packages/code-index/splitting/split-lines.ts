import type { SourceText } from "./source-text.ts";

/** A piece of a text, the last place not included. */
export type Piece = { readonly from: number; readonly to: number };

/** Characters of a piece that are not white space. */
export const MAX_CHUNK_CHARACTERS = 1_600;
/** As many are wanted before a cut is looked for. */
const MIN_CHUNK_CHARACTERS = 1_200;
/** A new definition is a good enough reason to end a piece earlier. */
const MIN_BEFORE_DEFINITION = 600;

/**
 * Cuts a text, or a part of it, into pieces that are the text when put together: before a definition, else at a blank
 * line, else at the least indented line. A line too long for a piece is cut between characters.
 */
export function splitText(source: SourceText, { from, to }: Piece = { from: 0, to: source.text.length }): readonly Piece[] {
  const lines = readLines(source, from, to);
  const pieces: Piece[] = [];
  for (let at = 0; at < lines.length;) {
    const end = endOfPiece(lines, at);
    const first = lines[at];
    const last = lines[end - 1];
    if (first === undefined || last === undefined) {
      break;
    }
    pieces.push({ from: first.from, to: last.to });
    at = end;
  }
  return pieces;
}

/** A line, or a part of one that is too long. */
type Line = Piece & {
  /** Characters that are not white space. */
  readonly weight: number;
  readonly indent: number;
  readonly definition: boolean;
};

function endOfPiece(lines: readonly Line[], from: number): number {
  let weight = 0;
  let best = from;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (let at = from; at < lines.length; at++) {
    const line = lines[at];
    if (line === undefined) {
      break;
    }
    if (at > from) {
      const score = cutScore(lines[at - 1], line, weight);
      if (score !== undefined && score >= bestScore) {
        best = at;
        bestScore = score;
      }
    }
    if (weight + line.weight > MAX_CHUNK_CHARACTERS && at > from) {
      return best > from ? best : at;
    }
    weight += line.weight;
  }
  return lines.length;
}

/** How good a cut before `line` is, `undefined` when the piece would be too short for it. */
function cutScore(previous: Line | undefined, line: Line, weight: number): number | undefined {
  if (weight < MIN_BEFORE_DEFINITION || (weight < MIN_CHUNK_CHARACTERS && !line.definition)) {
    return undefined;
  }
  const afterBlank = previous?.weight === 0;
  // A line that only closes what came before belongs to it.
  return (line.definition ? 40 : 0) + (afterBlank ? 20 : 0) + (line.weight === 0 ? -30 : 0) - (line.weight < 3 ? 25 : 0) - line.indent;
}

/** The beginning of a function, type, section …, in about any language. */
const DEFINITION =
  /^\s{0,8}(?:export |default |public |private |protected |internal |static |abstract |final |async |pub(?:\([a-z]+\))? |unsafe |declare |open |override |sealed |data )*(?:function|class|interface|type|enum|struct|impl|trait|mod|fn|func|def|module|namespace|object|package|describe|test|it|const [A-Z$_a-z]\w* = (?:async )?(?:function|\(|\w+ =>)|create (?:table|index|view|function))\b|^\s{0,8}(?:@\w|#\[|#{1,4} |\/\*\*)/i;

function readLines(source: SourceText, from: number, to: number): readonly Line[] {
  const lines: Line[] = [];
  for (let start = from; start < to;) {
    const found = source.text.indexOf("\n", start);
    const end = found === -1 || found >= to ? to : found + 1;
    if (end - start <= MAX_CHUNK_CHARACTERS) {
      lines.push(measure(source, start, end));
    } else {
      lines.push(...cutLine(source, start, end));
    }
    start = end;
  }
  return lines;
}

/** Longer lines are data; no definition is looked for in them. */
const MAX_DEFINITION_LENGTH = 400;

function measure({ text, weightOf }: SourceText, from: number, to: number): Line {
  const weight = weightOf(from, to);
  let indent = 0;
  for (let at = from; at < to && text.charCodeAt(at) <= 32; at++) {
    indent += text.charCodeAt(at) === 9 ? 4 : 1;
  }
  const definition = weight > 0 && to - from <= MAX_DEFINITION_LENGTH && DEFINITION.test(text.slice(from, to));
  return { from, to, weight, indent: Math.min(weight === 0 ? 0 : indent, 20), definition };
}

/** Cuts a line into parts that each fit, between characters. */
function cutLine(source: SourceText, from: number, to: number): readonly Line[] {
  const parts: Line[] = [];
  let start = from;
  for (let at = from + 1; at < to; at++) {
    // A part of white space alone has no weight to end it.
    const full = source.weightOf(start, at) >= MAX_CHUNK_CHARACTERS || at - start >= MAX_CHUNK_CHARACTERS * 4;
    if (full && !continuesCharacter(source.text, at)) {
      parts.push(measure(source, start, at));
      start = at;
    }
  }
  parts.push(measure(source, start, to));
  return parts;
}

function continuesCharacter(text: string, place: number): boolean {
  const unit = text.charCodeAt(place);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
