import { memoize } from "./memoize.ts";
import { maskText } from "./secret-texts.ts";

export const MAX_KEY_LENGTH = 256;

/** Text that PostgreSQL takes: no NUL, no half of a surrogate pair; cut between code points. */
export function safeText(text: string, maximum: number): string {
  const cut = text.length > maximum ? cutBetweenCodePoints(text, maximum) : text;
  const whole = cut.isWellFormed() ? cut : cut.toWellFormed();
  return whole.includes("\u0000") ? whole.replaceAll("\u0000", "\uFFFD") : whole;
}

/** A key as it may leave the process: maps are sometimes keyed by secrets. */
export const safeKey: (key: string) => string = memoize(
  (key) => {
    const masked = maskText(safeText(key, MAX_KEY_LENGTH));
    // A reference to a content is the SDK's own word; what the application calls so is another thing.
    return masked === "$blob" ? "$$blob" : masked;
  },
  { entries: 4000, keyLength: 64 },
);

function cutBetweenCodePoints(text: string, maximum: number): string {
  const last = text.charCodeAt(maximum - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maximum - 1 : maximum);
}
