import { maskText } from "./secret-texts.ts";

export const LONGEST_KEY = 256;
const LONGEST_REMEMBERED = 64;
const MOST_REMEMBERED = 4000;
const keys = new Map<string, string>();

/** Text that PostgreSQL takes: no NUL, no half of a surrogate pair; cut between code points. */
export function safeText(text: string, maximum: number): string {
  const cut = text.length > maximum ? cutBetweenCodePoints(text, maximum) : text;
  const whole = cut.isWellFormed() ? cut : cut.toWellFormed();
  return whole.includes("\u0000") ? whole.replaceAll("\u0000", "\uFFFD") : whole;
}

/** A key as it may leave the process: maps are sometimes keyed by secrets. The same few keys come again and again. */
export function safeKey(key: string): string {
  const known = keys.get(key);
  if (known !== undefined) {
    return known;
  }
  const masked = maskText(safeText(key, LONGEST_KEY));
  // A reference to a content is the SDK's own word; what the application calls so is another thing.
  const safe = masked === "$blob" ? "$$blob" : masked;
  if (key.length <= LONGEST_REMEMBERED) {
    if (keys.size >= MOST_REMEMBERED) {
      keys.clear();
    }
    keys.set(key, safe);
  }
  return safe;
}

function cutBetweenCodePoints(text: string, maximum: number): string {
  const last = text.charCodeAt(maximum - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maximum - 1 : maximum);
}
