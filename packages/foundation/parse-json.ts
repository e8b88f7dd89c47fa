import { parseExactly } from "#exact-json.ts";

const NOWHERE: ReadonlySet<string> = new Set();

/**
 * The value of a text from outside; `undefined` when it is no JSON, which itself has no such value.
 *
 * @param exactWithin The keys below which numbers are kept as they were written.
 */
export function parseJson(text: string, exactWithin = NOWHERE): unknown {
  try {
    return parseExactly(text, exactWithin);
  } catch {
    return undefined;
  }
}
