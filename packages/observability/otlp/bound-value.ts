import { isExactNumber } from "@sightline/foundation/exact-json";
import type { OtlpValue } from "#otlp/wire/otlp-span.ts";

/** The most characters of one text; a longer one, usually a file inside a message, is cut and says so. */
const MAX_TEXT_LENGTH = 1_000_000;

/**
 * Cuts single texts that are very long and nothing else. A name `$blob` travels as `$$blob`: it refers to no content,
 * and a span must not show what others of its project have sent.
 */
export function boundValue<Value extends OtlpValue | undefined>(value: Value): Value;
export function boundValue(value: OtlpValue | undefined): OtlpValue | undefined {
  if (typeof value === "string") {
    return value.length <= MAX_TEXT_LENGTH ? value : `${boundText(value, MAX_TEXT_LENGTH)}… (cut, ${value.length} characters)`;
  }
  if (Array.isArray(value)) {
    return value.map((item: OtlpValue) => boundValue(item));
  }
  return typeof value === "object" && value !== null && !isExactNumber(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name === "$blob" ? "$$blob" : name, boundValue(item)]))
    : value;
}

/** Cuts text between characters, never within one. */
export function boundText(text: string, maximum: number): string {
  if (text.length <= maximum) {
    return text;
  }
  const last = text.charCodeAt(maximum - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maximum - 1 : maximum);
}
