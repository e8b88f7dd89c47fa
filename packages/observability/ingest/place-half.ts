import type { StreamEvent } from "#events/event.ts";
import type { TraceWrite } from "#ingest/writing/batch-rows.ts";
import { toInstant } from "#ingest/writing/instant.ts";

type BodyOf<Type extends StreamEvent["type"]> = Extract<StreamEvent, { type: Type }>["body"];

export function rankOfStart({ stands_in_since: standsInSince, root_since: rootSince }: BodyOf<"trace.start">): number | undefined {
  return standsInSince === undefined ? rankOfRoot(rootSince) : -Math.max(Date.parse(standsInSince), 1);
}

export function rankOfEnd({
  stands_in_since: standsInSince,
  root_since: rootSince,
  ended_at: endedAt,
}: BodyOf<"trace.end">): number | undefined {
  return standsInSince === undefined ? rankOfRoot(rootSince) : Date.parse(endedAt) - Number.MAX_SAFE_INTEGER;
}

/** Above all numbers of events, and the higher the earlier, to the microsecond. */
function rankOfRoot(since: string | undefined): number | undefined {
  return since === undefined ? undefined : Number.MAX_SAFE_INTEGER - Date.parse(since) * 1000 - Number(toInstant(since).slice(23, 26));
}

/**
 * Of two events for a half the higher number stays. Those that stand in have a number below all: the first start and the last end of
 * them stay. A root has one above all. It is none of a producer's numbers, so it names no producer.
 */
export function placeOf(half: "start" | "end", event: StreamEvent, rank: number | undefined): Pick<TraceWrite, `${typeof half}_seq`> {
  return rank === undefined
    ? { [`${half}_event`]: event.id, [`${half}_producer`]: event.producer_id, [`${half}_seq`]: event.seq }
    : { [`${half}_event`]: event.id, [`${half}_seq`]: rank };
}
