/** A file as text, with what its places are in bytes, lines and weight. Places in the text count UTF-16 units. */
export type SourceText = {
  readonly text: string;
  readonly length: number;
  readonly byteAt: (place: number) => number;
  /** Characters between two places that are not white space. */
  readonly weightOf: (from: number, to: number) => number;
  /** Where the line begins, if there is nothing but white space before the place; else the place itself. */
  readonly startOfLine: (place: number) => number;
};

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @returns `undefined` for what is not UTF-8. */
export function readSourceText(content: Buffer): SourceText | undefined {
  const text = decode(content);
  if (text === undefined) {
    return undefined;
  }
  const weights = new Uint32Array(text.length + 1);
  const bytes = text.length === content.length ? undefined : new Uint32Array(text.length + 1);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const continues = unit >= 0xdc00 && unit <= 0xdfff;
    weights[at + 1] = (weights[at] ?? 0) + (unit > 32 && !continues ? 1 : 0);
    if (bytes !== undefined) {
      bytes[at + 1] = (bytes[at] ?? 0) + bytesOf(unit);
    }
  }
  const weightOf = (from: number, to: number) => (weights[to] ?? 0) - (weights[from] ?? 0);
  return {
    text,
    length: text.length,
    byteAt: (place) => bytes?.[place] ?? place,
    weightOf,
    startOfLine: (place) => {
      const start = place === 0 ? 0 : text.lastIndexOf("\n", place - 1) + 1;
      return weightOf(start, place) === 0 ? start : place;
    },
  };
}

function decode(content: Buffer): string | undefined {
  try {
    return strict.decode(content);
  } catch {
    return undefined;
  }
}

/** Each half of a surrogate pair is two of its four bytes. */
function bytesOf(unit: number): number {
  if (unit < 0x80) {
    return 1;
  }
  return unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
}
