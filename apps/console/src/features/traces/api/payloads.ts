import { parseExactly } from "@sightline/foundation/exact-json";
import { payloadRangeSchema, type TruncatedValue } from "@sightline/observability/contract";
import { infiniteQueryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { useApi } from "#http/api-context.ts";
import { encoded, observability } from "#http/calls.ts";
import { ask } from "#http/queries.ts";
import { traceUrl } from "./trace.ts";

/** Code points. What is shown at once; a page with ten times as much is slow to lay out. */
const SHOWN_RANGE = 65_536;
export const RANGE = 1_048_576;
/** More would be more than a page should hold. */
export const MAX_WHOLE = 20 * RANGE;

type Of = { readonly projectId: string; readonly traceId: string };

const rangeOf = ({ projectId, traceId }: Of, { payload_id: id, part }: TruncatedValue, from: number, length: number) =>
  observability.get(traceUrl(projectId, traceId) + encoded`/payloads/${id}`, { query: { part, from, length }, answer: payloadRangeSchema });

/** A value that is too long for the other answers, range by range. */
export function payloadQuery(of: Of, value: TruncatedValue) {
  return infiniteQueryOptions({
    queryKey: ["payload", of.projectId, of.traceId, value.payload_id, value.part],
    queryFn: ({ pageParam, ...context }) => ask(context, rangeOf(of, value, pageParam, SHOWN_RANGE)),
    initialPageParam: 0,
    getNextPageParam: (range) => range.next_from ?? undefined,
    staleTime: Infinity,
    gcTime: 30_000,
  });
}

/**
 * Asks for the whole of a value of which only the beginning came.
 *
 * @param onProgress how much of it is here, from 0 to 1.
 */
export type LoadWhole = (value: TruncatedValue, signal: AbortSignal, onProgress: (share: number) => void) => Promise<unknown>;

/** Loads such a value of a trace, range by range. */
export function useLoadWhole(of: Of): LoadWhole {
  const api = useApi();
  return async (value, signal, onProgress) => {
    const texts: string[] = [];
    for (let from: number | null = 0; from !== null;) {
      const range: z.infer<typeof payloadRangeSchema> = await api.request({ ...rangeOf(of, value, from, RANGE), signal });
      texts.push(range.text);
      from = range.next_from;
      onProgress(from === null ? 1 : from / range.characters);
    }
    const text = texts.join("");
    try {
      return parseExactly(text);
    } catch {
      return text;
    }
  };
}
