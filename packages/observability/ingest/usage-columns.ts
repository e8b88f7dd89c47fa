import type { StreamEvent } from "#events/event.ts";
import type { ObservationWrite } from "./batch-rows.ts";

type Usage = Extract<StreamEvent, { type: "observation.end" }>["body"]["usage"];

/**
 * Input counts with what was read from and written to the provider's cache. A producer that counted less than those two
 * together passed on what some providers report: the rest alone.
 */
export function usageColumns(usage: Usage) {
  const { input_tokens: input, cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite } = usage ?? {};
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  return {
    input_tokens: cached > (input ?? 0) ? Math.min((input ?? 0) + cached, Number.MAX_SAFE_INTEGER) : input,
    output_tokens: usage?.output_tokens,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    reasoning_tokens: usage?.reasoning_tokens,
  } satisfies Partial<ObservationWrite>;
}
