import { types } from "node:util";

/** How an object that is not plain is copied: as another value, as a list, or as keys with values. */
export type KnownObject =
  | { readonly as: "value"; readonly value: unknown }
  | { readonly as: "items"; readonly items: Iterable<unknown>; readonly size: number }
  | { readonly as: "entries"; readonly entries: Iterable<readonly [unknown, unknown]> };

/** What the classes of the language and the platform hold that `Object.keys` does not show; undefined for all others. */
export function knownObject(value: object): KnownObject | undefined {
  if (value instanceof Date) {
    return text(Number.isNaN(value.getTime()) ? "[invalid date]" : value.toISOString());
  }
  if (value instanceof Error) {
    return { as: "entries", entries: errorEntries(value) };
  }
  if (value instanceof Map || value instanceof Headers || value instanceof URLSearchParams || value instanceof FormData) {
    return { as: "entries", entries: value };
  }
  if (value instanceof Set) {
    return { as: "items", items: value, size: value.size };
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
    return text(`[binary: ${value.byteLength} bytes]`);
  }
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) {
    return text(`[${value.constructor.name}]`);
  }
  if (value instanceof RegExp || value instanceof URL) {
    return text(String(value));
  }
  if (types.isBoxedPrimitive(value)) {
    return { as: "value", value: value.valueOf() };
  }
  return asJson(value);
}

/** Classes say themselves what they are in JSON: decimals, identifiers, models of databases. */
function asJson(value: object): KnownObject | undefined {
  const toJson: unknown = readOwn(value, "toJSON");
  if (typeof toJson !== "function") {
    return undefined;
  }
  const json: unknown = Reflect.apply(toJson, value, [""]);
  return json === value ? undefined : { as: "value", value: json };
}

export function readOwn(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return "[unreadable]";
  }
}

/** A promise that a getter made for this reading is nobody else's, so that its failure must not end the process. */
export function revealOwn(value: object, key: string): unknown {
  const own = readOwn(value, key);
  if (typeof own === "object" && own !== null && isPromise(own) && Object.getOwnPropertyDescriptor(value, key)?.get !== undefined) {
    own.catch(() => undefined);
  }
  return own;
}

/** A revoked proxy can't be asked what it is. */
function isPromise(value: object): value is Promise<unknown> {
  try {
    return value instanceof Promise;
  } catch {
    return false;
  }
}

export function functionName(value: object): string {
  const name = readOwn(value, "name");
  return typeof name === "string" ? name : "";
}

export function mapKey(key: unknown): string {
  return typeof key === "number" || typeof key === "bigint" || typeof key === "boolean" ? String(key) : `[${typeof key}]`;
}

function text(value: string): KnownObject {
  return { as: "value", value };
}

function* errorEntries(error: Error): Generator<readonly [string, unknown]> {
  yield ["name", error.name];
  yield ["message", error.message];
  if (error.cause !== undefined) {
    yield ["cause", error.cause];
  }
  if (error instanceof AggregateError) {
    yield ["errors", error.errors];
  }
}
