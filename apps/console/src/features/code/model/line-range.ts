export type LineRange = { readonly start: number; readonly end: number };

/** Reads `L10` or `L10-L20`, with or without `#`; undefined for anything else. */
export function parseLineRange(hash: string): LineRange | undefined {
  const match = /^#?L([1-9]\d{0,7})(?:-L?([1-9]\d{0,7}))?$/.exec(hash);
  if (match === null) {
    return undefined;
  }
  const first = Number(match[1]);
  const last = match[2] === undefined ? first : Number(match[2]);
  return { start: Math.min(first, last), end: Math.max(first, last) };
}

export function formatLineRange({ start, end }: LineRange): string {
  return start === end ? `L${start}` : `L${start}-L${end}`;
}

export function inRange(range: LineRange | undefined, line: number): boolean {
  return range !== undefined && line >= range.start && line <= range.end;
}
