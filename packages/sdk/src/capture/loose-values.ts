import type { Usage } from "../event/event.ts";

export type Values = Readonly<Record<string, unknown>>;

/** The readers here take what a library hands over, whatever it is, and never throw on a shape that nobody expected. */
export function asObject(value: unknown): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Undefined for the empty text, too. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function asCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

/** Undefined when nothing was counted. */
export function usageOfCounts(counts: Omit<Usage, "raw">, raw: Values): Usage | undefined {
  const known = Object.entries(counts).filter(([, counted]) => counted !== undefined);
  return known.length === 0 ? undefined : { ...Object.fromEntries(known), raw };
}

/** What goes wrong in tracing leaves the application as it was. */
export function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
