import { parseExactly } from "@sightline/foundation/exact-json";

/** The value of a JSON text, its numbers as they were written; the text itself where it was cut and can't be read. */
export function fromJsonText(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}
