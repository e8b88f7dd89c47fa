import { isChatMessage, plainMessage, type ReasoningPolicy } from "./chat-message.ts";
import { MASKED } from "../mask/masking.ts";
import { MAX_KEY_LENGTH, safeKey, safeText } from "../mask/safe-text.ts";
import { isSecretValue } from "../mask/secret-keys.ts";
import { isWritable } from "../settings/text-of.ts";
import { functionName, knownObject, type KnownObject, mapKey, readOwn, revealOwn } from "./known-objects.ts";

export type Limits = {
  readonly depth: number;
  /** Entries of one array, keys of one object. */
  readonly items: number;
  /** UTF-16 units of one text. */
  readonly text: number;
  /** UTF-16 units of one payload's texts and keys, and what the rest holds beside them. */
  readonly size: number;
};

export type Snapshot = {
  readonly value: unknown;
  /** About as many bytes as it holds. */
  readonly size: number;
};

export const PAYLOAD_LIMITS: Limits = { depth: 16, items: 1000, text: 65_536, size: 131_072 };

/** What an object, an entry or a number holds beside its texts; so lists of empty lists end, too. */
const OBJECT_SIZE = 24;
const ENTRY_SIZE = 8;
/** Enumerating more keys than this takes milliseconds, so it is done once per object. */
const MANY_KEYS = 10_000;

type Walk = { readonly limits: Limits; readonly reasoning: ReasoningPolicy; readonly ancestors: object[]; left: number };

/** The first keys of objects that have very many, which can't be listed without listing all. */
const firstKeys = new WeakMap<object, readonly string[]>();

/**
 * A plain, bounded copy that always serialises and shares nothing with the application but texts; values of secret keys are masked.
 * Bounds apply while walking, before serialising, because serialising one megabyte already blocks the application for milliseconds.
 * Never throws, whatever getters and proxies do. Says how much the copy holds, too.
 */
export function measureSnapshot(value: unknown, reasoning: ReasoningPolicy, limits: Limits = PAYLOAD_LIMITS): Snapshot {
  const walk: Walk = { limits, reasoning, ancestors: [], left: limits.size };
  const copied = copy(value, walk);
  return { value: copied, size: limits.size - walk.left };
}

function copy(value: unknown, walk: Walk): unknown {
  if (walk.left <= 0) {
    return "[size limit]";
  }
  switch (typeof value) {
    case "string":
      return copyText(value, walk);
    case "number":
      walk.left -= ENTRY_SIZE;
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      walk.left -= ENTRY_SIZE;
      return value;
    case "bigint":
      return copyText(isWritable(value) ? value.toString() : "[bigint limit]", walk);
    case "symbol":
      return copyText(String(value), walk);
    case "function":
      return copyText(`[function ${functionName(value)}]`, walk);
    case "object":
      return value === null ? null : copyObject(value, walk);
    case "undefined":
    default:
      return undefined;
  }
}

function copyText(text: string, walk: Walk): string {
  const maximum = Math.min(walk.limits.text, walk.left);
  walk.left -= Math.min(text.length, maximum) + 2;
  return text.length > maximum ? `${safeText(text, maximum)}...[cut: ${text.length} characters]` : safeText(text, maximum);
}

function copyObject(value: object, walk: Walk): unknown {
  if (walk.ancestors.includes(value)) {
    return "[circular]";
  }
  if (walk.ancestors.length >= walk.limits.depth) {
    return "[depth limit]";
  }
  walk.left -= OBJECT_SIZE;
  walk.ancestors.push(value);
  try {
    return copyKnown(value, walk);
  } catch {
    return "[unreadable]";
  } finally {
    walk.ancestors.pop();
  }
}

function copyKnown(value: object, walk: Walk): unknown {
  if (Array.isArray(value)) {
    return copyList(value, walk);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) {
    return isChatMessage(value) ? copyMessage(value, walk) : copyOwn(value, walk);
  }
  const known = isChatMessage(value) ? undefined : knownObject(value);
  return known === undefined ? (isChatMessage(value) ? copyMessage(value, walk) : copyOwn(value, walk)) : copyAs(known, walk);
}

function copyMessage(message: Parameters<typeof plainMessage>[0], walk: Walk): unknown {
  return copyEntries(Object.entries(plainMessage(message, walk.reasoning)), walk);
}

function copyAs(known: KnownObject, walk: Walk): unknown {
  switch (known.as) {
    case "value":
      return copy(known.value, walk);
    case "items":
      return copyItems(known.items, known.size, walk);
    case "entries":
      return copyEntries(known.entries, walk);
    default:
      return known satisfies never;
  }
}

/** An array, with what is secret in pairs (`["authorization", "Bearer …"]`) and in arguments (`["--password", "…"]`) masked. */
function copyList(list: readonly unknown[], walk: Walk): unknown[] {
  const copied: unknown[] = [];
  const { length } = list;
  const isPair = length === 2;
  for (let index = 0; index < length; index += 1) {
    if (index >= walk.limits.items || walk.left <= 0) {
      copied.push(`[${length - index} more]`);
      break;
    }
    walk.left -= ENTRY_SIZE;
    const item = list[index];
    const before = index > 0 ? list[index - 1] : undefined;
    const isSecret = typeof before === "string" && ((isPair && isName(before)) || isFlagOrHeader(before)) && isSecretValue(before, item);
    copied.push(isSecret ? MASKED : (copy(item, walk) ?? null));
  }
  return copied;
}

/** A sentence that speaks of a password names no value: what follows it, in a list of two texts, is the next text. */
function isName(text: string): boolean {
  return text.slice(0, 256).trim().split(/\s+/, 4).length <= 3;
}

/** Lists of arguments and of raw headers; the value follows. */
function isFlagOrHeader(text: string): boolean {
  return text.length <= 64 && /^(?:--?[\w-]+|(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]+)$/i.test(text);
}

function copyItems(items: Iterable<unknown>, size: number, walk: Walk): unknown[] {
  const copied: unknown[] = [];
  for (const item of items) {
    if (copied.length >= walk.limits.items || walk.left <= 0) {
      copied.push(`[${size - copied.length} more]`);
      break;
    }
    walk.left -= ENTRY_SIZE;
    copied.push(copy(item, walk) ?? null);
  }
  return copied;
}

function copyEntries(entries: Iterable<readonly [unknown, unknown]>, walk: Walk): Record<string, unknown> {
  const copied: Record<string, unknown> = {};
  let count = 0;
  for (const [key, value] of entries) {
    if (!copyEntry(copied, typeof key === "string" ? key : mapKey(key), value, walk, count)) {
      break;
    }
    count += 1;
  }
  return copied;
}

function copyOwn(value: object, walk: Walk): Record<string, unknown> {
  const copied: Record<string, unknown> = {};
  const namesSecret = isSecretEntry(value);
  const keys = keysOf(value, walk.limits.items);
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? "";
    const own = namesSecret && /^value$/i.test(key) ? MASKED : revealOwn(value, key);
    if (!copyEntry(copied, key, own, walk, index)) {
      break;
    }
  }
  return copied;
}

function keysOf(value: object, maximum: number): readonly string[] {
  const known = firstKeys.get(value);
  if (known !== undefined) {
    return known;
  }
  const keys = Object.keys(value);
  if (keys.length < MANY_KEYS) {
    return keys;
  }
  // One more than is copied, so that the copy says that there are more.
  const first = keys.slice(0, maximum + 1);
  firstKeys.set(value, first);
  return first;
}

/** `{ name: "authorization", value: "Bearer …" }`, in the spellings of headers, variables and tags. */
function isSecretEntry(value: object): boolean {
  const valueKey = "value" in value ? "value" : "Value" in value ? "Value" : undefined;
  if (valueKey === undefined) {
    return false;
  }
  return ["name", "key", "header", "Name", "Key"].some((key) => {
    const name = Object.hasOwn(value, key) ? readOwn(value, key) : undefined;
    return typeof name === "string" && isSecretValue(name, readOwn(value, valueKey));
  });
}

/** False when the limits are reached and the rest is left out. */
function copyEntry(copied: Record<string, unknown>, key: string, value: unknown, walk: Walk, count: number): boolean {
  if (count >= walk.limits.items || walk.left <= 0) {
    copied["..."] = "[more keys]";
    return false;
  }
  walk.left -= Math.min(key.length, MAX_KEY_LENGTH) + ENTRY_SIZE;
  const bounded = isSecretValue(key, value) ? MASKED : copy(value, walk);
  if (bounded !== undefined) {
    defineEntry(copied, safeKey(key), bounded);
  }
  return true;
}

function defineEntry(copied: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    // A plain assignment would set the prototype and lose the value.
    Object.defineProperty(copied, name, { value, enumerable: true });
  } else {
    copied[name] = value;
  }
}
