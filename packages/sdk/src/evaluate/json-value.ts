import { kindOf } from "../settings/text-of.ts";

const MAX_OUTPUT_BYTES = 1_000_000;
const MAX_TEXT_LENGTH = 5000;

/** The value as JSON has it; null for what JSON has not. @throws Error for cycles, and for more than is kept of a run */
export function toJson(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "null";
  const size = Buffer.byteLength(text);
  if (size > MAX_OUTPUT_BYTES) {
    const numbers = [size, MAX_OUTPUT_BYTES].map((each) => each.toLocaleString("en-US"));
    throw new Error(`its output is ${numbers[0]} bytes of JSON; at most ${numbers[1]} are taken: return less of it`);
  }
  return JSON.parse(text.toWellFormed());
}

/** Its beginning, without the NUL that texts of the platform can't hold. Never throws. */
export function shortText(value: unknown): string {
  try {
    return String(value).slice(0, MAX_TEXT_LENGTH).replaceAll("\0", "\ufffd").toWellFormed();
  } catch {
    return `[unreadable ${kindOf(value)}]`;
  }
}

export function errorText(error: unknown): string {
  return error instanceof Error ? `${kindOf(error)}: ${shortText(error.message)}` : shortText(error);
}
