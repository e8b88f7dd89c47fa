import { v7 as uuidv7 } from "uuid";
import { encodeEvent } from "#events/stream-entry.ts";
import { eventSchema, type EventType, type StreamEvent } from "#events/event.ts";

type BodyOf<Type extends EventType> = Extract<StreamEvent, { type: Type }>["body"];

/** A producer that numbers its events as the SDK does. */
export function createProducer(projectId: string, startedAt = new Date("2026-11-21T10:00:00.000Z")) {
  const producerId = uuidv7();
  let seq = 0;
  return {
    producerId,
    event: <Type extends EventType>(type: Type, body: BodyOf<Type>): StreamEvent => {
      seq += 1;
      const ts = new Date(startedAt.getTime() + seq * 10).toISOString();
      return eventSchema.parse({ v: 1, id: uuidv7(), type, project_id: projectId, producer_id: producerId, seq, ts, body });
    },
  };
}

export type Producer = ReturnType<typeof createProducer>;

/** The events of one run: a trace, a node in it, and in the node a tool and a model call. */
export function agentRun(producer: Producer, traceId = uuidv7(), name = "support-agent"): readonly StreamEvent[] {
  const [node, tool, model] = [uuidv7(), uuidv7(), uuidv7()];
  const at = (second: number) => `2026-11-21T10:00:0${second}.000Z`;
  const ids = (id: string) => ({ trace_id: traceId, observation_id: id });
  return [
    producer.event("trace.start", { trace_id: traceId, name, started_at: at(0), thread_id: "thread-7", input: { question: "where?" } }),
    producer.event("observation.start", {
      ...ids(node),
      parent_id: null,
      kind: "node",
      name: "plan",
      started_at: at(1),
      attributes: { a: 1 },
    }),
    producer.event("observation.start", {
      ...ids(tool),
      parent_id: node,
      kind: "tool",
      name: "find_order",
      started_at: at(2),
      code: { file: "src/tools.ts", line: 12 },
      input: { order: 42 },
    }),
    producer.event("observation.end", {
      ...ids(tool),
      ended_at: at(3),
      duration_ms: 1000.5,
      status: "failure",
      error: "TimeoutError",
      tool_entry: { tool_name: "find_order", parameters: { order: 42 }, result: null, timestamp: at(3), status: "failure" },
    }),
    producer.event("observation.start", { ...ids(model), parent_id: node, kind: "llm", name: "answer", started_at: at(3), model: "m-1" }),
    producer.event("observation.update", { ...ids(node), attributes: { a: 2, retries: 1 } }),
    producer.event("observation.end", {
      ...ids(model),
      ended_at: at(4),
      duration_ms: 900,
      status: "success",
      output: "It was shipped.",
      model: "m-1-2026",
      usage: { input_tokens: 120, output_tokens: 8, raw: { prompt_tokens: 120 } },
      reasoning: { text: "The order is on its way", truncated: false, original_chars: 23 },
    }),
    producer.event("observation.end", { ...ids(node), ended_at: at(5), duration_ms: 4000, status: "success", attributes: { done: true } }),
    producer.event("score", { trace_id: traceId, name: "helpful", value: 1 }),
    producer.event("trace.end", { trace_id: traceId, ended_at: at(6), status: "success", output: { answer: "shipped" } }),
  ];
}

/** Fields of the stream entry that carries `event`. */
export function fieldsOf(event: StreamEvent): string[] {
  return [...encodeEvent(event)];
}
