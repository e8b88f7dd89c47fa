import { v7 as uuidv7 } from "uuid";
import type { EventType, StreamEvent } from "#events/event.ts";
import type { ModelUsage } from "#models/ask-model.ts";
import type { DraftEvent } from "#otlp/span-events.ts";

export type JudgeCall = {
  readonly traceId: string;
  readonly purpose: "judge" | "playground";
  readonly name: string;
  readonly model: string;
  readonly userId: string | null;
  readonly input: unknown;
  readonly startedAt: Date;
  readonly endedAt: Date;
  /** As the model said it. */
  readonly text: unknown;
  readonly usage: ModelUsage | undefined;
  readonly verdict: unknown;
  readonly problem: string | undefined;
  /** What it is found by: the trace that was judged, the evaluator and its version. */
  readonly metadata: Readonly<Record<string, string | number>>;
};

type BodyOf<Type extends EventType> = Extract<StreamEvent, { type: Type }>["body"];

/**
 * The events of a call of the platform's own, as any application would send them: it is a trace of its own, of the user whose words it read, so that it goes with
 * them.
 */
export function toJudgeEvents(call: JudgeCall): readonly DraftEvent[] {
  const ids = { trace_id: call.traceId, observation_id: uuidv7() };
  const [startedAt, endedAt] = [call.startedAt.toISOString(), call.endedAt.toISOString()];
  const ended = {
    ended_at: endedAt,
    status: call.problem === undefined ? ("success" as const) : ("failure" as const),
    ...(call.problem === undefined ? {} : { error: call.problem }),
  };
  return [
    draft("trace.start", {
      trace_id: call.traceId,
      name: call.name.slice(0, 200),
      started_at: startedAt,
      purpose: call.purpose,
      ...(call.userId === null ? {} : { user_id: call.userId }),
      attributes: { metadata: call.metadata },
    }),
    draft("observation.start", {
      ...ids,
      parent_id: null,
      kind: "llm",
      name: call.model,
      started_at: startedAt,
      model: call.model,
      input: call.input,
    }),
    draft("observation.end", {
      ...ids,
      ...ended,
      duration_ms: call.endedAt.getTime() - call.startedAt.getTime(),
      model: call.model,
      output: call.text,
      ...(call.usage === undefined ? {} : { usage: toUsage(call.usage) }),
    }),
    draft("trace.end", { trace_id: call.traceId, ...ended, output: call.verdict }),
  ];
}

function toUsage({ input, output, cacheRead, cacheWrite, reasoning }: ModelUsage): NonNullable<BodyOf<"observation.end">["usage"]> {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    reasoning_tokens: reasoning,
  };
}

function draft<Type extends EventType>(type: Type, body: BodyOf<Type>): DraftEvent {
  return { id: uuidv7(), type, body: JSON.stringify(body) };
}
