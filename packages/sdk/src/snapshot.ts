import { isChatMessage, plainMessage, type ReasoningPolicy } from "./chat-message.ts";
import { isSecretValue, MASKED, maskJsonText } from "./masking.ts";

export type Limits = {
  readonly depth: number;
  /** Entries of one array, keys of one object. */
  readonly items: number;
  /** UTF-16 units of one text. */
  readonly text: number;
  /** Bytes of one payload, keys included. */
  readonly bytes: number;
};

export const PAYLOAD_LIMITS: Limits = { depth: 16, items: 1000, text: 65_536, bytes: 131_072 };

/** Writing a longer one in decimals takes the application's thread for up to seconds. */
const LARGEST_INTEGER = 2n ** 4096n;
/** Counted for every entry of an array, so that lists of empty lists end, too. */
const ITEM_BYTES = 8;

type Walk = { readonly limits: Limits; readonly reasoning: ReasoningPolicy; readonly ancestors: Set<object>; left: number };

/**
 * A plain, bounded, masked copy that always serialises. Bounds apply while walking, before serialising, because serialising one
 * megabyte already blocks the application for milliseconds. Never throws, whatever getters and proxies do.
 */
export function takeSnapshot(value: unknown, reasoning: ReasoningPolicy, limits: Limits = PAYLOAD_LIMITS): unknown {
  return copy(value, { limits, reasoning, ancestors: new Set(), left: limits.bytes }, 0);
}

/** Text that PostgreSQL takes: no NUL, no half of a surrogate pair; cut between code points. */
export function safeText(text: string, maximum: number): string {
  const cut = text.length > maximum ? cutBetweenCodePoints(text, maximum) : text;
  const whole = cut.isWellFormed() ? cut : cut.toWellFormed();
  return whole.includes("\u0000") ? whole.replaceAll("\u0000", "\uFFFD") : whole;
}

function cutBetweenCodePoints(text: string, maximum: number): string {
  const last = text.charCodeAt(maximum - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maximum - 1 : maximum);
}

function copy(value: unknown, walk: Walk, depth: number): unknown {
  if (walk.left <= 0) {
    return "[size limit]";
  }
  switch (typeof value) {
    case "string":
      return copyText(value, walk);
    case "number":
      walk.left -= 8;
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      walk.left -= 5;
      return value;
    case "bigint":
      return copyText(value < LARGEST_INTEGER && value > -LARGEST_INTEGER ? value.toString() : "[bigint limit]", walk);
    case "symbol":
      return copyText(String(value), walk);
    case "function":
      return copyText(`[function ${functionName(value)}]`, walk);
    case "object":
      return value === null ? null : copyObject(value, walk, depth);
    case "undefined":
    default:
      return undefined;
  }
}

function functionName(value: object): string {
  const name = readOwn(value, "name");
  return typeof name === "string" ? name : "";
}

function copyText(text: string, walk: Walk): string {
  const maximum = Math.min(walk.limits.text, walk.left);
  const safe = maskJsonText(safeText(text, maximum));
  walk.left -= Buffer.byteLength(safe) + 2;
  return text.length > maximum ? `${safe}…[cut: ${text.length} characters]` : safe;
}

function copyObject(value: object, walk: Walk, depth: number): unknown {
  if (walk.ancestors.has(value)) {
    return "[circular]";
  }
  if (depth >= walk.limits.depth) {
    return "[depth limit]";
  }
  walk.ancestors.add(value);
  try {
    return copyKnown(value, walk, depth);
  } catch {
    return "[unreadable]";
  } finally {
    walk.ancestors.delete(value);
  }
}

function copyKnown(value: object, walk: Walk, depth: number): unknown {
  if (Array.isArray(value)) {
    return copyItems(isSecretPair(value) ? [value[0], MASKED] : value, value.length, walk, depth);
  }
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? "[invalid date]" : copyText(value.toISOString(), walk);
  }
  if (value instanceof Error) {
    return copyEntries(errorEntries(value), walk, depth);
  }
  if (value instanceof Map) {
    return copyEntries(mapEntries(value), walk, depth);
  }
  if (value instanceof Set) {
    return copyItems(value, value.size, walk, depth);
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    return `[binary: ${value.byteLength} bytes]`;
  }
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) {
    return `[${value.constructor.name}]`;
  }
  if (isChatMessage(value)) {
    return copyEntries(Object.entries(plainMessage(value, walk.reasoning)), walk, depth);
  }
  if (value instanceof RegExp || value instanceof URL) {
    return copyText(String(value), walk);
  }
  return copyOwn(value, walk, depth);
}

function copyItems(items: Iterable<unknown>, size: number, walk: Walk, depth: number): unknown[] {
  const copied: unknown[] = [];
  for (const item of items) {
    if (copied.length >= walk.limits.items || walk.left <= 0) {
      copied.push(`[${size - copied.length} more]`);
      break;
    }
    walk.left -= ITEM_BYTES;
    copied.push(copy(item, walk, depth + 1) ?? null);
  }
  return copied;
}

function copyEntries(entries: Iterable<readonly [string, unknown]>, walk: Walk, depth: number): Record<string, unknown> {
  const copied: Record<string, unknown> = {};
  let count = 0;
  for (const [key, value] of entries) {
    if (!copyEntry(copied, key, value, walk, depth, count)) {
      break;
    }
    count += 1;
  }
  return copied;
}

/** The same for plain objects, by far the most common, without an iterator in between. */
function copyOwn(value: object, walk: Walk, depth: number): Record<string, unknown> {
  const copied: Record<string, unknown> = {};
  const namesSecret = isSecretEntry(value);
  let count = 0;
  for (const key of Object.keys(value)) {
    const own = namesSecret && key === "value" ? MASKED : readOwn(value, key);
    if (!copyEntry(copied, key, own, walk, depth, count)) {
      break;
    }
    count += 1;
  }
  return copied;
}

/** `["authorization", "Bearer …"]`, as headers and the entries of maps are listed. */
function isSecretPair(items: readonly unknown[]): boolean {
  return items.length === 2 && typeof items[0] === "string" && isSecretValue(items[0], items[1]);
}

/** `{ name: "authorization", value: "Bearer …" }`. */
function isSecretEntry(value: object): boolean {
  if (!Object.hasOwn(value, "value")) {
    return false;
  }
  const name = readOwn(value, Object.hasOwn(value, "name") ? "name" : "key");
  return typeof name === "string" && isSecretValue(name, readOwn(value, "value"));
}

function readOwn(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return "[unreadable]";
  }
}

/** False when the limits are reached and the rest is left out. */
function copyEntry(copied: Record<string, unknown>, key: string, value: unknown, walk: Walk, depth: number, count: number): boolean {
  if (count >= walk.limits.items || walk.left <= 0) {
    copied["…"] = "[more keys]";
    return false;
  }
  const name = safeText(key, 256);
  walk.left -= name.length + 4;
  const bounded = isSecretValue(key, value) ? MASKED : copy(value, walk, depth + 1);
  if (bounded === undefined) {
    return true;
  }
  if (name === "__proto__") {
    // A plain assignment would set the prototype and lose the value.
    Object.defineProperty(copied, name, { value: bounded, enumerable: true });
  } else {
    copied[name] = bounded;
  }
  return true;
}

function* mapEntries(map: ReadonlyMap<unknown, unknown>): Generator<readonly [string, unknown]> {
  for (const [key, item] of map) {
    yield [typeof key === "string" ? key : mapKey(key), item];
  }
}

function mapKey(key: unknown): string {
  return typeof key === "number" || typeof key === "bigint" || typeof key === "boolean" ? String(key) : `[${typeof key}]`;
}

function* errorEntries(error: Error): Generator<readonly [string, unknown]> {
  yield ["name", error.name];
  yield ["message", error.message];
  if (error.cause !== undefined) {
    yield ["cause", error.cause];
  }
}
