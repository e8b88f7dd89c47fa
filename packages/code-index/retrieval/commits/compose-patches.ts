import { isSame, type Hunk } from "./patch.ts";

/** Lines that changes touched, or that stand beside those, before and after them. What is between two regions is the same, and unknown. */
export type Region = {
  readonly oldBefore: number;
  readonly newBefore: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
};

export function toRegions(hunks: readonly Hunk[]): readonly Region[] {
  const textsBut = (lines: Hunk["lines"], sign: string) => lines.filter((line) => line.sign !== sign).map(({ text }) => text);
  return hunks.map(({ oldBefore, newBefore, lines }) => ({
    oldBefore,
    newBefore,
    before: textsBut(lines, "+"),
    after: textsBut(lines, "-"),
  }));
}

type Piece = { readonly begin: number; readonly end: number; readonly texts: readonly string[]; readonly by: readonly string[] };

/**
 * Two changes of a file, one after the other, as one: found without the file, since whatever stands within three lines of a change is in
 * its hunks. `undefined` where the second is of another text than the first led to.
 */
export function composeRegions(earlier: readonly Region[], later: readonly Region[]): readonly Region[] | undefined {
  // Places are those of the version between the two.
  const earlierPieces = earlier.map(({ newBefore, before, after }) => pieceOf(newBefore, after, before));
  const laterPieces = later.map(({ oldBefore, before, after }) => pieceOf(oldBefore, before, after));
  const composed: Region[] = [];
  let [oldShift, newShift] = [0, 0];
  for (const { begin, end } of joinTouching([...earlierPieces, ...laterPieces])) {
    const isInside = (piece: Piece) => piece.begin >= begin && piece.end <= end;
    const [undone, made] = [earlierPieces.filter(isInside), laterPieces.filter(isInside)];
    const middle: (string | undefined)[] = Array.from({ length: end - begin });
    for (const { begin: from, texts } of [...undone, ...made]) {
      for (const [index, text] of texts.entries()) {
        const known = middle[from - begin + index];
        if (known !== undefined && !isSame(known, text)) {
          return undefined;
        }
        middle[from - begin + index] = text;
      }
    }
    const texts = middle.map((text) => text ?? "");
    const [before, after] = [replacePieces(texts, undone, begin), replacePieces(texts, made, begin)];
    composed.push({ oldBefore: begin + oldShift, newBefore: begin + newShift, before, after });
    oldShift += before.length - texts.length;
    newShift += after.length - texts.length;
  }
  return composed;
}

function pieceOf(begin: number, texts: readonly string[], by: readonly string[]): Piece {
  return { begin, end: begin + texts.length, texts, by };
}

function joinTouching(pieces: readonly Piece[]): readonly { readonly begin: number; readonly end: number }[] {
  const joined: { begin: number; end: number }[] = [];
  for (const { begin, end } of pieces.toSorted((one, other) => one.begin - other.begin)) {
    const last = joined.at(-1);
    if (last === undefined || begin > last.end) {
      joined.push({ begin, end });
    } else {
      last.end = Math.max(last.end, end);
    }
  }
  return joined;
}

function replacePieces(texts: readonly string[], pieces: readonly Piece[], start: number): readonly string[] {
  const result: (readonly string[])[] = [];
  let at = 0;
  for (const { begin, end, by } of pieces) {
    result.push(texts.slice(at, begin - start), by);
    at = end - start;
  }
  return [...result, texts.slice(at)].flat();
}
