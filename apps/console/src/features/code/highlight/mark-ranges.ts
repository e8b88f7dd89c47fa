type Coloured = { readonly text: string; readonly color: string | undefined };
export type Piece = Coloured & { readonly marked: boolean };
export type Range = readonly [from: number, to: number];

/** Cuts a line's coloured pieces where what was found begins and ends. */
export function markRanges(tokens: readonly Coloured[], ranges: readonly Range[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (const { text, color } of tokens) {
    const end = start + text.length;
    const cuts = ranges.flat().filter((cut) => cut > start && cut < end);
    const places = [...new Set([start, ...cuts, end])].toSorted((one, other) => one - other);
    for (const [index, from] of places.slice(0, -1).entries()) {
      const to = places[index + 1] ?? end;
      const marked = ranges.some(([first, last]) => first <= from && to <= last);
      pieces.push({ text: text.slice(from - start, to - start), color, marked });
    }
    start = end;
  }
  return pieces;
}
