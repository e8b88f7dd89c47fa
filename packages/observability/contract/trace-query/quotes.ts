/** Finds the end of the closing quote; the end of the text when there is none. */
export function endOfQuote(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') {
    at += text[at] === "\\" ? 2 : 1;
  }
  return Math.min(at + 1, text.length);
}

export function isWhollyQuoted(written: string): boolean {
  return written.length > 1 && written.startsWith('"') && endOfQuote(written, 0) === written.length;
}

export function unquote(written: string): string {
  return isWhollyQuoted(written) ? written.slice(1, -1).replaceAll(/\\(.)/gsu, "$1") : written;
}

/** Finds a quote that nothing closes; -1 when there is none. */
export function openQuote(written: string): number {
  let at = written.indexOf('"');
  while (at !== -1) {
    const end = endOfQuote(written, at);
    if (end - at < 2 || written[end - 1] !== '"' || endsEscaped(written.slice(at + 1, end - 1))) {
      return at;
    }
    at = written.indexOf('"', end);
  }
  return -1;
}

function endsEscaped(inner: string): boolean {
  return (/\\*$/.exec(inner)?.[0].length ?? 0) % 2 === 1;
}

/** What stands between quotes. */
export function escaped(text: string): string {
  return text.replaceAll(/["\\]/g, "\\$&");
}
