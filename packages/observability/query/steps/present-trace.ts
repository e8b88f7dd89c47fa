import type { Observation, Trace, TraceSummary } from "#contract.ts";
import type { ObservationContent, PayloadContent, TraceContent } from "./trace-content.store.ts";
import type { TraceSummaryRow } from "./traces.store.ts";
import { bytesOf, takeWhileLight } from "./answer-size.ts";
import { orderObservations } from "./order-observations.ts";
import { startOf } from "./start-of.ts";

export const UNKNOWN_NAME = "(start not received)";

export function presentTraceSummary(row: TraceSummaryRow, lostEvents: number): TraceSummary {
  return {
    id: row.id,
    name: row.name ?? UNKNOWN_NAME,
    status: row.status,
    started_at: row.sort_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    duration_ms:
      row.started_at === null || row.ended_at === null
        ? null
        : Math.max(row.ended_at.getTime() - row.started_at.getTime() - row.waiting_ms, 0),
    waiting_ms: row.waiting_ms,
    observations: row.observations,
    failures: row.failures,
    lost_events: lostEvents,
    thread_id: row.thread_id,
    session_id: row.session_id,
    user_id: row.user_id,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cost: row.cost,
  };
}

export function presentTrace(
  row: TraceSummaryRow,
  { observations, payloads, isCut }: TraceContent,
  { lostEvents, graph }: { readonly lostEvents: number; readonly graph: Trace["graph"] },
): Trace {
  const byOwner = Map.groupBy(payloads, (payload) => payload.owner_id);
  const own = row.segments.flatMap(({ id }) => byOwner.get(id) ?? []);
  const started = observations.map((observation) => ({
    observation,
    id: observation.id,
    parentId: observation.parent_id,
    producerId: observation.start_producer ?? observation.end_producer,
    seq: observation.start_seq ?? observation.end_seq ?? 0,
    startedAt: startOf({
      started: observation.started_at?.getTime() ?? null,
      ended: observation.ended_at?.getTime() ?? null,
      durationMs: observation.duration_ms,
      seen: observation.seen_at.getTime(),
    }),
  }));
  const head = {
    ...presentTraceSummary(row, lostEvents),
    project_id: row.project_id,
    input: payloadOf(own, row.start_event)?.value ?? null,
    output: payloadOf(own, row.end_event)?.value ?? null,
    error: row.error,
    attributes: attributesOf(own),
    segments: [...row.segments],
    graph,
  };
  const steps = orderObservations(started).map(({ observation, seq, startedAt }) =>
    presentObservation(observation, byOwner.get(observation.id) ?? [], { seq, startedAt }),
  );
  const shown = takeWhileLight(steps, ANSWER_BYTES - bytesOf(head));
  return { ...head, truncated: isCut || shown.length < steps.length, observation_list: [...shown] };
}

/** Of the whole answer. */
const ANSWER_BYTES = 4_000_000;
/** Of these nothing is shown. */
type Unshown = "project_id" | "graph_step" | "next" | "day" | "model" | "uncached_tokens" | "hour";

type Place = { readonly seq: number; readonly startedAt: Date };

export function presentObservation(
  row: Omit<ObservationContent, Unshown>,
  payloads: readonly PayloadContent[],
  { seq, startedAt }: Place,
): Observation {
  const start = payloadOf(payloads, row.start_event);
  const end = payloadOf(payloads, row.end_event);
  return {
    id: row.id,
    parent_id: row.parent_id,
    kind: row.kind ?? "span",
    name: row.name ?? UNKNOWN_NAME,
    status: row.end_status ?? (row.is_abandoned ? "abandoned" : "running"),
    started_at: startedAt.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    duration_ms: row.duration_ms,
    seq,
    model: row.end_model ?? row.start_model,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cache_read_tokens: row.cache_read_tokens,
    cache_write_tokens: row.cache_write_tokens,
    reasoning_tokens: row.reasoning_tokens,
    cost: row.cost,
    error: row.error,
    code: row.code,
    input: start?.value ?? end?.tool_entry?.parameters ?? null,
    output: end?.value ?? end?.tool_entry?.result ?? null,
    reasoning: end?.reasoning ?? null,
    attributes: attributesOf(payloads),
  };
}

function payloadOf(payloads: readonly PayloadContent[], eventId: string | null): PayloadContent | undefined {
  return eventId === null ? undefined : payloads.find((payload) => payload.event_id === eventId);
}

/** A later event's value of a key replaces an earlier one's. */
function attributesOf(payloads: readonly PayloadContent[]): Record<string, unknown> {
  return Object.fromEntries(payloads.flatMap(({ attributes }) => Object.entries(attributes ?? {})));
}
