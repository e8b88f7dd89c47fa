import type { Observation } from "#contract.ts";
import { pickCallNumbers } from "#step-numbers.ts";
import type { PayloadContent } from "./trace-content.store.ts";
import { startOf } from "#trace-facts/order-by-start.ts";
import type { StepRow } from "./step.store.ts";

export const UNKNOWN_NAME = "(start not received)";

type Values = Pick<Observation, "input" | "output" | "reasoning" | "attributes">;

/** A step as every answer tells it; what it took in and gave back is read apart. */
export function presentStep(row: StepRow): Omit<Observation, keyof Values | "stack"> {
  return {
    id: row.id,
    parent_id: row.parent_id,
    kind: row.kind ?? "span",
    name: row.name ?? UNKNOWN_NAME,
    status: row.status,
    started_at: startOfRow(row).toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    duration_ms: row.duration_ms,
    seq: seqOfRow(row),
    model: row.model,
    prompt: row.prompt,
    ...pickCallNumbers(row),
    cost: row.cost,
    error: row.error,
    code: row.code,
  };
}

/** What a step's events carried. A tool's entry tells of it where nothing else does. */
export function presentValues(row: StepRow, payloads: readonly PayloadContent[]): Values {
  const start = findPayload(payloads, row.start_event);
  const end = findPayload(payloads, row.end_event);
  return {
    input: start?.value ?? end?.tool_entry?.parameters ?? null,
    output: end?.value ?? end?.tool_entry?.result ?? null,
    reasoning: end?.reasoning ?? null,
    attributes: readAttributes(payloads),
  };
}

export function findPayload<Payload extends PayloadContent>(payloads: readonly Payload[], eventId: string | null): Payload | undefined {
  return eventId === null ? undefined : payloads.find((payload) => payload.event_id === eventId);
}

/** A later event's value of a key replaces an earlier one's. */
export function readAttributes(payloads: readonly PayloadContent[]): Record<string, unknown> {
  return Object.fromEntries(payloads.flatMap(({ attributes }) => Object.entries(attributes ?? {})));
}

/** Its place among the events of its producer. */
export function seqOfRow(row: Pick<StepRow, "start_seq" | "end_seq">): number {
  return row.start_seq ?? row.end_seq ?? 0;
}

export function startOfRow(row: Pick<StepRow, "started_at" | "ended_at" | "duration_ms" | "seen_at">): Date {
  return startOf({
    started: row.started_at?.getTime() ?? null,
    ended: row.ended_at?.getTime() ?? null,
    durationMs: row.duration_ms,
    seen: row.seen_at.getTime(),
  });
}
