import { v7 as uuidv7 } from "uuid";
import type { StreamEvent } from "#events/event.ts";
import type { Producer } from "./agent-run.ts";

/** What there is to find a trace by; what is left out it has not. */
export type Run = {
  readonly name: string;
  /** Without it, it has not ended. */
  readonly seconds?: number;
  readonly session?: string;
  readonly user?: string;
  readonly thread?: string;
  readonly model?: string;
  /** Of the model that is called. */
  readonly prompt?: { readonly name: string; readonly version?: string };
  readonly tool?: string;
  readonly node?: string;
  /** Read by the model that is called. */
  readonly tokens?: number;
  readonly file?: string;
  readonly commit?: string;
  readonly error?: string;
  /** Steps that failed. */
  readonly failures?: number;
  readonly score?: number;
  readonly input?: string;
};

/** The events of a trace that began so many minutes after ten on the 21st of November 2026. */
export function exploredRun(producer: Producer, run: Run, minute: number, traceId = uuidv7()): readonly StreamEvent[] {
  const startedAt = new Date(Date.UTC(2026, 10, 21, 10, minute));
  const at = startedAt.toISOString();
  const step = (
    kind: "llm" | "tool" | "node" | "span",
    name: string,
    options: { code?: { file: string; line: number; commit?: string }; isFailure?: boolean } = {},
  ) => {
    const ids = { trace_id: traceId, observation_id: uuidv7() };
    const { code, isFailure = false } = options;
    const usage = kind === "llm" && run.tokens !== undefined ? { usage: { input_tokens: run.tokens, output_tokens: 0 } } : {};
    return [
      producer.event("observation.start", {
        ...ids,
        parent_id: null,
        kind,
        name,
        started_at: at,
        ...(code === undefined ? {} : { code }),
        ...(kind === "llm" && run.prompt !== undefined ? { prompt: run.prompt } : {}),
      }),
      producer.event("observation.end", {
        ...ids,
        ended_at: at,
        duration_ms: 1,
        status: isFailure ? "failure" : "success",
        ...(kind === "llm" && run.model !== undefined ? { model: run.model } : {}),
        ...usage,
      }),
    ];
  };
  const code =
    run.file === undefined && run.commit === undefined
      ? {}
      : { code: { file: run.file ?? "main.ts", line: 1, ...(run.commit === undefined ? {} : { commit: run.commit }) } };
  return [
    producer.event("trace.start", {
      trace_id: traceId,
      name: run.name,
      started_at: at,
      ...(run.session === undefined ? {} : { session_id: run.session }),
      ...(run.user === undefined ? {} : { user_id: run.user }),
      ...(run.thread === undefined ? {} : { thread_id: run.thread }),
      ...(run.input === undefined ? {} : { input: { question: run.input } }),
    }),
    ...step("span", "work", code),
    ...(run.model === undefined ? [] : step("llm", "call")),
    ...(run.tool === undefined ? [] : step("tool", run.tool)),
    ...(run.node === undefined ? [] : step("node", run.node)),
    ...Array.from({ length: run.failures ?? 0 }, () => step("span", "fails", { isFailure: true })).flat(),
    ...(run.score === undefined ? [] : [producer.event("score", { trace_id: traceId, name: "helpful", value: run.score })]),
    ...(run.seconds === undefined
      ? []
      : [
          producer.event("trace.end", {
            trace_id: traceId,
            ended_at: new Date(startedAt.getTime() + run.seconds * 1_000).toISOString(),
            status: run.error === undefined ? "success" : "failure",
            ...(run.error === undefined ? {} : { error: run.error }),
          }),
        ]),
  ];
}
