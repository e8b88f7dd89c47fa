import { createRequire } from "node:module";
import type * as O200k from "gpt-tokenizer/encoding/o200k_base";

/** Loaded at the first count: its table takes 20 MB, and a quiet process counts nothing. */
let tokenizer: typeof O200k | undefined;

function countPiece(text: string): number {
  tokenizer ??= createRequire(import.meta.url)("gpt-tokenizer/encoding/o200k_base") as typeof O200k;
  return tokenizer.countTokens(text, AS_PLAIN_TEXT);
}

/** The tokenizer's time grows with the square of an unbroken run of letters or spaces; cut, it can't. */
const PIECE = 500;

const AS_PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

/** How many tokens a language model reads `text` as (o200k); never fewer than it is. Once there are more than `max`, it counts no further. */
export function countTokens(text: string, max = Infinity): number {
  let tokens = 0;
  for (let from = 0; from < text.length && tokens <= max;) {
    const to = endOfPiece(text, from);
    tokens += countPiece(text.slice(from, to));
    from = to;
  }
  return tokens;
}

/** The longest beginning of `text`, in whole lines where one fits, that is read as at most `limit` tokens. */
export function takeTokens(text: string, limit: number): string {
  let left = limit;
  let end = 0;
  let lineEnd = 0;
  while (end < text.length) {
    const to = endOfPiece(text, end);
    const piece = text.slice(end, to);
    left -= countPiece(piece);
    if (left < 0) {
      return text.slice(0, lineEnd > 0 ? lineEnd : end);
    }
    end = to;
    if (piece.endsWith("\n")) {
      lineEnd = to;
    }
  }
  return text;
}

/** After the next line break, or where the piece is too long. */
function endOfPiece(text: string, from: number): number {
  const newline = text.indexOf("\n", from);
  return Math.min(newline === -1 ? text.length : newline + 1, from + PIECE);
}
