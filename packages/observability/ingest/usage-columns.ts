import { MAX_COST, type StreamEvent } from "#events/event.ts";
import type { ObservationWrite } from "#ingest/writing/batch-rows.ts";

type Usage = Extract<StreamEvent, { type: "observation.end" }>["body"]["usage"];

/**
 * Input counts with what was read from and written to the provider's cache. A producer that counted less than those two
 * together passed on what some providers report: the rest alone. OpenRouter reports the cost among them. None is no report: libraries with prices of
 * their own write 0 for models they don't know.
 */
export function usageColumns(usage: Usage): Partial<ObservationWrite> {
  const { raw, cost, ...tokens } = usage ?? {};
  const counts = { ...tokens, reported_cost: [cost, raw?.["cost"]].find(isCost) };
  const { input_tokens: input, cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite } = counts;
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  return cached > (input ?? 0) ? { ...counts, input_tokens: Math.min((input ?? 0) + cached, Number.MAX_SAFE_INTEGER) } : counts;
}

function isCost(value: unknown): value is number {
  return typeof value === "number" && value > 0 && value <= MAX_COST;
}
