/** Reading of what applications sent, of which nothing is certain. */

export type Values = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function valuesOf(value: unknown): Values {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The first that is a text with something in it. */
export function textOf(...candidates: readonly unknown[]): string | undefined {
  return candidates.find((candidate): candidate is string => typeof candidate === "string" && candidate !== "");
}

/** Of the names the first that the object has. */
export function firstOf(value: Values, ...names: readonly string[]): unknown {
  const name = names.find((candidate) => value[candidate] !== undefined && value[candidate] !== null);
  return name === undefined ? undefined : value[name];
}
