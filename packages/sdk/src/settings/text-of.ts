import { types } from "node:util";

/** What is kept as a text: numbers, and what is a text in JSON, as dates, addresses, identifiers and decimals are. */
export type TextLike = string | number | bigint | boolean | { toJSON(): string } | null;

/** What fields that keep them as texts take, as a message says it. */
export const TEXTS = "a text, a number, a date or an identifier";

/** Writing a longer one in decimals takes the application's thread for up to seconds. */
const MAX_INTEGER = 2n ** 4096n;
const MAX_BYTES = 2000;
const MAX_KIND_LENGTH = 60;
const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a value that is one thing; undefined for lists, objects and all else that holds several or none. Never throws. */
export function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return Number.isFinite(value) ? String(value) : undefined;
    case "bigint":
      return isWritable(value) ? String(value) : undefined;
    case "boolean":
      return String(value);
    case "object":
      return value === null ? undefined : textOfObject(value);
    case "function":
    case "symbol":
    case "undefined":
    default:
      return undefined;
  }
}

export function isWritable(integer: bigint): boolean {
  return integer < MAX_INTEGER && integer > -MAX_INTEGER;
}

/** The finite number that a value or its text is; a yes or no is none. Never throws. */
export function numberOf(value: unknown): number | undefined {
  const text = typeof value === "number" ? undefined : textOf(value);
  const number = text === undefined ? value : NUMBER.test(text) ? Number(text) : undefined;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** What kind of value it is, and never what it holds: a message may be read by others. Never throws. */
export function kindOf(value: unknown): string {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return String(value);
  }
  const name = typeof value === "object" && value !== null ? classOf(value) : undefined;
  return name ?? (value === null ? "null" : typeof value);
}

function textOfObject(value: object): string | undefined {
  try {
    if (types.isUint8Array(value)) {
      return value.byteLength > MAX_BYTES ? undefined : UTF_8.decode(value);
    }
    const toJson: unknown = Reflect.get(value, "toJSON");
    const single: unknown = types.isBoxedPrimitive(value)
      ? value.valueOf()
      : typeof toJson === "function"
        ? Reflect.apply(toJson, value, [""])
        : undefined;
    return typeof single === "object" ? undefined : textOf(single);
  } catch {
    return undefined;
  }
}

function classOf(value: object): string | undefined {
  try {
    const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
    return typeof name === "string" && name !== "" ? name.slice(0, MAX_KIND_LENGTH) : undefined;
  } catch {
    return undefined;
  }
}
