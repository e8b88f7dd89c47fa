import type { Usage } from "../event/event.ts";
import { numberOf } from "../settings/text-of.ts";

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

/** Also of a text, as gateways between the application and a provider write numbers. */
export function asCount(value: unknown): number | undefined {
  const count = numberOf(value);
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
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
