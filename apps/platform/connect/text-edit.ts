/** A span of a text and what replaces it. */
export type Edit = { readonly start: number; readonly end: number; readonly text: string };

/** Applies edits whose offsets are those of the text as it is; they must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((edited, { start, end, text: inserted }) => edited.slice(0, start) + inserted + edited.slice(end), text);
}

/** The line end that the text uses already. */
export function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

/** The blanks that the line of `offset` begins with. */
export function indentationAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

export type Position = { readonly line: number; readonly column: number };

/** Counted from 1, as editors do. */
export function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - (before.lastIndexOf("\n") + 1) + 1 };
}

/** A configuration file that is left as it is, since it can't be understood or holds something else where the server belongs. */
export class UnreadableText extends Error {
  readonly position: Position | undefined;

  constructor(message: string, position?: Position) {
    super(message);
    this.name = "UnreadableText";
    this.position = position;
  }
}
