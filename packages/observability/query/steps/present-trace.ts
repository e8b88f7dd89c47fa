import type { Trace, TraceSummary } from "#contract.ts";
import type { TraceContent } from "./trace-content.store.ts";
import type { TraceSummaryRow } from "./traces.store.ts";
import { pickTraceNumbers } from "#step-numbers.ts";
import type { LabelName } from "#trace-labels.ts";
import { toTracePurpose } from "#trace-purpose.ts";
import { countBytes, takeWhileLight } from "./answer-size.ts";
import { orderRows } from "./order-steps.ts";
import { presentLabels } from "./present-labels.ts";
import { readAttributes, findPayload, presentStep, presentValues, UNKNOWN_NAME } from "./present-step.ts";

export function presentTraceSummary(row: TraceSummaryRow, lostEvents: number): TraceSummary {
  return {
    id: row.id,
    name: row.name ?? UNKNOWN_NAME,
    status: row.status,
    started_at: row.sort_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    waiting_ms: row.waiting_ms,
    observations: row.steps,
    failures: row.failures,
    lost_events: lostEvents,
    thread_id: row.thread_id,
    session_id: row.session_id,
    user_id: row.user_id,
    purpose: toTracePurpose(row.purpose),
    ...pickTraceNumbers(row),
  };
}

const MAX_TAGS = 150;

/** Presents what the trace is grouped and found by. */
export function presentTraceLabels({ start_fields: fields, tags }: TraceSummaryRow): Pick<Trace, LabelName | "tags" | "added_tags"> {
  const added = tags ?? [];
  const all = new Set([...(fields ?? []), ...added.map((tag) => `tag:${tag}`)]);
  return { ...presentLabels([...all].toSorted(), MAX_TAGS), added_tags: [...added] };
}

/** The whole answer is held to this many bytes. */
const ANSWER_BYTES = 4_000_000;

export function presentTrace(
  row: TraceSummaryRow,
  { steps, payloads, isCut }: TraceContent,
  { lostEvents, graph }: { readonly lostEvents: number; readonly graph: Trace["graph"] },
): Trace {
  const byOwner = Map.groupBy(payloads, (payload) => payload.owner_id);
  const own = row.segments.flatMap(({ id }) => byOwner.get(id) ?? []);
  const head = {
    ...presentTraceSummary(row, lostEvents),
    ...presentTraceLabels(row),
    project_id: row.project_id,
    input: findPayload(own, row.start_event)?.value ?? null,
    output: findPayload(own, row.end_event)?.value ?? null,
    error: row.error,
    attributes: readAttributes(own),
    segments: [...row.segments],
    graph,
  };
  const all = orderRows(steps).map((step) => ({ ...presentStep(step), ...presentValues(step, byOwner.get(step.id) ?? []) }));
  const shown = takeWhileLight(all, ANSWER_BYTES - countBytes(head));
  return { ...head, truncated: isCut || shown.length < all.length, observation_list: [...shown] };
}
