/** A piece of a file; bytes from 0, the last not included; lines from 1, the last included. */
export type Piece = {
  readonly startByte: number;
  readonly endByte: number;
  readonly startLine: number;
  readonly endLine: number;
};

/** Characters of a piece that are not white space. */
export const MOST_CHARACTERS = 1_600;
/** As many are wanted before a cut is looked for. */
const LEAST = 1_200;
/** A new definition is a good enough reason to end a piece earlier. */
const LEAST_BEFORE_DEFINITION = 600;

/**
 * Cuts a text into pieces that are the text when put together: before a definition, else at a blank
 * line, else at the least indented line. A line too long for a piece is cut between characters.
 */
export function splitText(content: Buffer): readonly Piece[] {
  const lines = readLines(content);
  const pieces: Piece[] = [];
  for (let from = 0; from < lines.length;) {
    const to = endOfPiece(lines, from);
    const first = lines[from];
    const last = lines[to - 1];
    if (first === undefined || last === undefined) {
      break;
    }
    pieces.push({ startByte: first.start, endByte: last.end, startLine: first.number, endLine: last.number });
    from = to;
  }
  return pieces;
}

/** A line, or a part of one that is too long. */
type Line = {
  readonly number: number;
  readonly start: number;
  readonly end: number;
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
    if (weight + line.weight > MOST_CHARACTERS && at > from) {
      return best > from ? best : at;
    }
    weight += line.weight;
  }
  return lines.length;
}

/** How good a cut before `line` is, `undefined` when the piece would be too short for it. */
function cutScore(previous: Line | undefined, line: Line, weight: number): number | undefined {
  if (weight < LEAST_BEFORE_DEFINITION || (weight < LEAST && !line.definition)) {
    return undefined;
  }
  const afterBlank = previous?.weight === 0;
  // A line that only closes what came before belongs to it.
  return (line.definition ? 40 : 0) + (afterBlank ? 20 : 0) + (line.weight === 0 ? -30 : 0) - (line.weight < 3 ? 25 : 0) - line.indent;
}

/** The beginning of a function, type, section …, in about any language. */
const DEFINITION =
  /^\s{0,8}(?:export |default |public |private |protected |internal |static |abstract |final |async |pub(?:\([a-z]+\))? |unsafe |declare |open |override |sealed |data )*(?:function|class|interface|type|enum|struct|impl|trait|mod|fn|func|def|module|namespace|object|package|describe|test|it|const [A-Z$_a-z]\w* = (?:async )?(?:function|\(|\w+ =>)|create (?:table|index|view|function))\b|^\s{0,8}(?:@\w|#\[|#{1,4} |\/\*\*)/i;

function readLines(content: Buffer): readonly Line[] {
  const lines: Line[] = [];
  let number = 1;
  for (let start = 0; start < content.length; number++) {
    const found = content.indexOf(10, start);
    const end = found === -1 ? content.length : found + 1;
    if (end - start <= MOST_CHARACTERS) {
      lines.push(measure(content, { number, start, end }));
    } else {
      lines.push(...cutLine(content, { number, start, end }));
    }
    start = end;
  }
  return lines;
}

type Span = { readonly number: number; readonly start: number; readonly end: number };

/** Longer lines are data; no definition is looked for in them. */
const LONGEST_DEFINITION = 400;

function measure(content: Buffer, { number, start, end }: Span): Line {
  let weight = 0;
  let indent = 0;
  for (let at = start; at < end; at++) {
    const byte = content[at] ?? 0;
    if (byte > 32) {
      // Bytes 10xxxxxx go on with a character that was counted.
      weight += (byte & 0xc0) === 0x80 ? 0 : 1;
    } else if (weight === 0 && byte !== 10) {
      indent += byte === 9 ? 4 : 1;
    }
  }
  const definition = weight > 0 && end - start <= LONGEST_DEFINITION && DEFINITION.test(content.toString("latin1", start, end));
  return { number, start, end, weight, indent: Math.min(indent, 20), definition };
}

/** Cuts a line into parts that each fit, between characters. */
function cutLine(content: Buffer, { number, start, end }: Span): readonly Line[] {
  const parts: Line[] = [];
  let from = start;
  let weight = 0;
  for (let at = start; at < end; at++) {
    const byte = content[at] ?? 0;
    const begins = (byte & 0xc0) !== 0x80;
    // A part of white space alone, or of broken text, has no weight to end it.
    if ((begins && (weight === MOST_CHARACTERS || at - from >= MOST_CHARACTERS * 4)) || at - from >= MOST_CHARACTERS * 5) {
      parts.push(measure(content, { number, start: from, end: at }));
      from = at;
      weight = 0;
    }
    weight += begins && byte > 32 ? 1 : 0;
  }
  parts.push(measure(content, { number, start: from, end }));
  return parts;
}
