import { inspect } from "node:util";
import { kindOf, textOf } from "../settings/text-of.ts";

const MAX_OUTPUT_BYTES = 1_000_000;
const MAX_TEXT_LENGTH = 5000;

type Json = { readonly json: unknown; readonly replaced: string | undefined };

/** The value as JSON has it, and of which kind something in it is that a text took the place of, if anything is. @throws Error for more than is kept of a run */
export function toJson(value: unknown): Json {
  let replaced: string | undefined;
  const replace = (_key: string, part: unknown) => {
    if (isJson(part)) {
      return part;
    }
    replaced ??= kindOf(part);
    return textOf(part) ?? shortText(part, inspect);
  };
  let text: string;
  try {
    text = JSON.stringify(value, replace) ?? "null";
  } catch {
    // Cycles, and whatever objects throw while they are read.
    text = JSON.stringify(shortText(value, inspect));
    replaced = kindOf(value);
  }
  const size = Buffer.byteLength(text);
  if (size > MAX_OUTPUT_BYTES) {
    const numbers = [size, MAX_OUTPUT_BYTES].map((each) => each.toLocaleString("en-US"));
    throw new Error(`its output is ${numbers[0]} bytes of JSON; at most ${numbers[1]} are taken: return less of it`);
  }
  // Half of a pair of surrogates, which no encoding has, is written as an escape.
  return { json: JSON.parse(text, (_key, part: unknown) => (typeof part === "string" ? part.toWellFormed() : part)), replaced };
}

/** Of others JSON would have an empty object or null, or throw. */
function isJson(part: unknown): boolean {
  const isOdd = part instanceof Map || part instanceof Set || part instanceof Error || typeof part === "bigint";
  return !isOdd && (typeof part !== "number" || Number.isFinite(part));
}

/** Its beginning, without the NUL that texts of the platform can't hold. Never throws. */
export function shortText(value: unknown, read: (value: unknown) => string = String): string {
  try {
    return read(value).slice(0, MAX_TEXT_LENGTH).replaceAll("\0", "\ufffd").toWellFormed();
  } catch {
    return `[unreadable ${kindOf(value)}]`;
  }
}

export function errorText(error: unknown): string {
  return error instanceof Error ? `${kindOf(error)}: ${shortText(error.message)}` : shortText(error);
}
