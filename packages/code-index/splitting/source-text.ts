import { decode } from "./decode.ts";

/** A file as text, with what its places are in bytes, lines and weight. Places in the text count UTF-16 units. */
export type SourceText = {
  readonly text: string;
  readonly byteAt: (place: number) => number;
  /** The line, from 1. */
  readonly lineAt: (place: number) => number;
  /** Characters between two places that are not white space. */
  readonly weightOf: (from: number, to: number) => number;
  /** Where the line begins, if there is nothing but white space before the place; else the place itself. */
  readonly startOfLine: (place: number) => number;
};

export function readSourceText(content: Buffer): SourceText {
  const { text, byteAt } = decode(content);
  const weights = new Uint32Array(text.length + 1);
  const lines: number[] = [0];
  let weight = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 32) {
      // The second half of a surrogate pair goes on with a character that was counted.
      weight += unit >= 0xdc00 && unit <= 0xdfff ? 0 : 1;
    } else if (unit === 10) {
      lines.push(at + 1);
    }
    weights[at + 1] = weight;
  }
  const weightOf = (from: number, to: number) => (weights[to] ?? weight) - (weights[from] ?? 0);
  const lineAt = (place: number) => {
    let low = 0;
    let high = lines.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((lines[middle] ?? 0) <= place) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low + 1;
  };
  return {
    text,
    byteAt,
    lineAt,
    weightOf,
    startOfLine: (place) => {
      const start = lines[lineAt(place) - 1] ?? 0;
      return weightOf(start, place) === 0 ? start : place;
    },
  };
}
