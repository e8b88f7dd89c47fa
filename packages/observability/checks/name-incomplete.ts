import { truncatedValueSchema } from "#contract.ts";

/** Depth at which values are no longer looked into. */
const DEPTH = 50;
const MASKED = /^\[(?:masked|redacted)[^\]]*\]$/i;

/** A text of which a part was masked or cut, by an SDK or here. */
const ALTERED = /\[(?:masked|redacted|withheld)[^\]]*\]|(?:…|\.{3})\[cut: \d+ characters\]/i;
/** A text by which the SDKs say that a value is not kept. */
const IN_PLACE =
  /^\[(?:(?:size|depth|integer|bigint) limit|circular|\d+ more|more keys|(?:binary|class|function|module)\b.*|[a-z_][\w.]*)\]$/is;

/** The paths of what was cut, masked or not kept when it was recorded. */
export function nameIncomplete(path: string, value: unknown): readonly string[] {
  return namePlaces(path, value, isIncomplete);
}

/** The same, and also of texts that are masked or cut in part, and of values that a text stands for: of all that is not as it was. */
export function nameAltered(path: string, value: unknown): readonly string[] {
  return namePlaces(path, value, (part) => isIncomplete(part) || (typeof part === "string" && (ALTERED.test(part) || IN_PLACE.test(part))));
}

function namePlaces(path: string, value: unknown, isFound: (part: unknown) => boolean, depth = 0): readonly string[] {
  if (isFound(value)) {
    return [path];
  }
  if (typeof value !== "object" || value === null || depth > DEPTH) {
    return [];
  }
  return Object.entries(value)
    .flatMap(([key, part]) => namePlaces(`${path}/${key}`.slice(0, 200), part, isFound, depth + 1))
    .slice(0, 100);
}

/** Whether it stands for something that was cut, masked or not kept. */
export function isIncomplete(value: unknown): boolean {
  if (typeof value === "string") {
    return MASKED.test(value);
  }
  return typeof value === "object" && value !== null && (truncatedValueSchema.safeParse(value).success || "$blob" in value);
}
