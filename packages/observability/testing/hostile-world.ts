import { v7 as uuidv7 } from "uuid";
import type { StreamEvent } from "#events/event.ts";
import type { Producer } from "./agent-run.ts";

export const MINUTE = 60_000;

export type World = { readonly producer: Producer; readonly at: (ms: number) => string };
type StartBody = Extract<StreamEvent, { type: "observation.start" }>["body"];
type EndBody = Extract<StreamEvent, { type: "observation.end" }>["body"];

export function trace(
  { producer, at }: World,
  traceId: string,
  name: string,
  steps: readonly StreamEvent[],
  value: unknown = { name },
): readonly StreamEvent[] {
  return [
    producer.event("trace.start", { trace_id: traceId, name, started_at: at(0), session_id: "hostile", input: value }),
    ...steps,
    producer.event("trace.end", { trace_id: traceId, ended_at: at(60_000), status: "success", output: value }),
  ];
}

type Given = { readonly id?: string; readonly start?: Partial<StartBody>; readonly end?: Partial<EndBody> };

export function step({ producer, at }: World, traceId: string, { id = uuidv7(), start = {}, end = {} }: Given): readonly StreamEvent[] {
  const ids = { trace_id: traceId, observation_id: id };
  return [
    producer.event("observation.start", { ...ids, parent_id: null, kind: "span", name: "step", started_at: at(10), ...start }),
    producer.event("observation.end", { ...ids, ended_at: at(1_000), duration_ms: 990, status: "success", ...end }),
  ];
}
