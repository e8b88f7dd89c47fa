import type { StackTrace } from "#contract.ts";
import type { EventType, StreamEvent } from "#events/event.ts";
import type { JsonReader } from "#otlp/dialects/attribute-reader.ts";
import { createFactReader } from "#otlp/dialects/fact-reader.ts";
import { MAX_NAME_LENGTH, type OtlpLog, type OtlpSpan, type OtlpValue } from "#otlp/wire/otlp-span.ts";
import { toEventId, toObservationId, toTraceId } from "#identifiers.ts";
import { readCodeOrigin } from "./code-origin.ts";
import { BENT } from "#events/bend-event.ts";
import { writeBody, type Bent } from "./bend-span.ts";
import { boundText, boundValue } from "./bound-value.ts";
import { countOnce } from "./count-once.ts";
import { isEvaluation, toScore } from "./evaluation-scores.ts";
import { findPauses, type Pause } from "./find-pauses.ts";
import { findReasoning } from "./find-reasoning.ts";
import { NO_PARENT, type ReadSpan, type ReadSpans, type Source, type SpanPosition } from "./read-spans.ts";
import { readLabels, type SpanFacts } from "./span-facts.ts";
import { readSpanError, type EndStatus, readSpanInterrupts, readSpanStack, readSpanStatus } from "./span-status.ts";
import { mapLabels } from "#trace-labels.ts";
import { toTracePurpose } from "#trace-purpose.ts";
import { toTimestamp } from "#otlp/wire/timestamp.ts";

type BodyOf<Type extends EventType> = Extract<StreamEvent, { type: Type }>["body"];

/** An event that has no number of the stream yet. */
export type DraftEvent = { readonly id: string; readonly type: EventType; readonly body: string };

/** Converts spans that were read to events; a call around one of `inner` counts no tokens, which come from there. */
export function toSpanEvents(projectId: string, { spans, readJson }: ReadSpans, inner?: ReadonlySet<string>): readonly DraftEvent[] {
  const counted = countOnce(spans, inner);
  const pauses = findPauses(counted);
  return counted.flatMap((each) => eventsOf(projectId, { ...each, pause: pauses.get(each.span.traceId) }, readJson));
}

type Read = ReadSpan & { readonly pause: Pause | undefined };

function eventsOf(projectId: string, { span, source, bent, place, facts, told, pause }: Read, readJson: JsonReader): readonly DraftEvent[] {
  const ids = {
    trace_id: toTraceId(projectId, span.traceId),
    observation_id: toObservationId(projectId, span.traceId, span.spanId),
  };
  const own = readSpanStatus(span);
  const status = own === "success" && pause?.waiting.has(span.spanId) === true ? "interrupted" : own;
  const origin = readCodeOrigin(source.resource);
  const read = readSpanStack(span);
  const stack = read && { ...origin, ...read };
  const input = boundValue(facts.input);
  const output = boundValue(facts.output);
  const common = {
    projectId,
    span,
    source,
    bent,
    place,
    facts,
    told,
    pause,
    status,
    interrupts: readSpanInterrupts(span, readJson),
    stack,
    input,
    output,
  };
  const start = draft(projectId, "observation.start", {
    ...ids,
    parent_id: NO_PARENT.test(span.parentSpanId) ? null : toObservationId(projectId, span.traceId, span.parentSpanId),
    kind: facts.kind,
    name: boundText(facts.name, MAX_NAME_LENGTH),
    started_at: toTimestamp(span.startNanos),
    model: facts.call?.model,
    prompt: facts.prompt,
    code: facts.code && { ...origin, ...facts.code },
    graph_step: facts.task && { task: facts.task.task, step: facts.task.step, triggers: [...facts.task.triggers] },
    input,
    attributes: attributesOf(common),
  });
  const trace = [
    ...toScoreEvents(
      projectId,
      span.events.map((event) => ({ ...span, event })),
    ),
    ...(place === "child" ? [] : [traceStart(ids.trace_id, common)]),
    ...(pause?.from?.span === span ? [traceResume(ids.trace_id, common, pause.from.checkpoint)] : []),
  ];
  if (span.endNanos === 0n) {
    return [...trace, start];
  }
  const end = draft(projectId, "observation.end", {
    ...ids,
    ended_at: toTimestamp(span.endNanos),
    duration_ms: Number(span.endNanos - span.startNanos) / 1e6,
    status,
    output,
    error: readSpanError(span),
    stack,
    ...facts.call,
    reasoning: facts.kind === "llm" ? findReasoning(facts.output, readJson(span.attributes.get("output.value") ?? null)) : undefined,
    tool_entry: toolEntryOf(common),
    paused_at: pause?.at.get(span.spanId),
  });
  // An orphan cannot tell whether the whole trace has ended.
  return [...trace, start, end, ...(place === "root" || place === "entrance" ? [traceEnd(ids.trace_id, common)] : [])];
}

/** Evaluations, in spans or in records of logs, as the scores that they are; others make none. */
export function toScoreEvents(projectId: string, logs: readonly OtlpLog[]): readonly DraftEvent[] {
  return logs.flatMap((log) => {
    const score = toScore(projectId, log);
    return score === undefined ? [] : [draft(projectId, "score", score)];
  });
}

type Common = {
  readonly projectId: string;
  readonly span: OtlpSpan;
  readonly source: Source;
  readonly bent: Bent;
  readonly place: SpanPosition;
  readonly facts: SpanFacts;
  readonly told: ReadSpan["told"];
  readonly pause: Pause | undefined;
  readonly status: EndStatus;
  readonly interrupts: OtlpValue | undefined;
  readonly stack: StackTrace | undefined;
  readonly input: OtlpValue | undefined;
  readonly output: OtlpValue | undefined;
};

function traceStart(traceId: string, { projectId, span, source, place, facts, told, input }: Common): DraftEvent {
  return draft(projectId, "trace.start", {
    trace_id: traceId,
    name: boundText(facts.traceName ?? facts.name, MAX_NAME_LENGTH),
    started_at: toTimestamp(span.startNanos),
    thread_id: optionalName(facts.threadId),
    session_id: optionalName(facts.sessionId ?? told?.sessionId),
    user_id: optionalName(facts.userId ?? told?.userId),
    ...findLabels(source, facts),
    input,
    attributes: {
      "otel.trace_id": span.traceId,
      "otel.resource": boundValue(Object.fromEntries(source.resource)),
      ...(Object.keys(facts.metadata).length === 0 ? {} : { metadata: boundValue(facts.metadata as OtlpValue) }),
    },
    ...standIn(span, place),
  });
}

const MAX_LABEL = 200;
const MAX_TAGS = 50;

/** The span says it itself, or the process it ran in. */
function findLabels({ resource }: Source, facts: SpanFacts) {
  const ofProcess = createFactReader({ name: "", attributes: resource, events: [] }, (value) => value);
  const process = readLabels(ofProcess);
  const purpose = toTracePurpose(facts.purpose ?? ofProcess.text("purpose"));
  const { tags } = facts;
  return {
    ...mapLabels((name) => {
      const text = facts[name] ?? process[name];
      return text === undefined ? undefined : boundText(text, MAX_LABEL);
    }),
    ...(purpose === "live" ? {} : { purpose }),
    ...(tags.length === 0 ? {} : { tags: tags.slice(0, MAX_TAGS).map((tag) => boundText(tag, MAX_LABEL)) }),
  };
}

function traceResume(traceId: string, { projectId, span }: Common, checkpoint: string): DraftEvent {
  return draft(projectId, "trace.resume", { trace_id: traceId, resumed_at: toTimestamp(span.startNanos), resumed_from: checkpoint });
}

function traceEnd(traceId: string, { projectId, span, place, status, stack, output }: Common): DraftEvent {
  return draft(projectId, "trace.end", {
    trace_id: traceId,
    ended_at: toTimestamp(span.endNanos),
    status: readSpanStatus(span), // a step that waits says so itself: the trace may go on
    output,
    error: readSpanError(span),
    stack,
    // A resume may be another root of the trace, and ends it.
    ...(place === "root" && status === "interrupted" ? {} : standIn(span, place)),
  });
}

/** A root that runs still has the number of its event, so that its own end, sent later, comes before it. */
function standIn(
  { startNanos, endNanos }: OtlpSpan,
  place: SpanPosition,
): { readonly stands_in_since?: string; readonly root_since?: string } {
  const since = toTimestamp(startNanos);
  return place !== "root" ? { stands_in_since: since } : endNanos === 0n ? {} : { root_since: since };
}

/** Keeps in the attributes everything of a span that no field takes. */
function attributesOf({ span, source, bent, facts, interrupts }: Common): Record<string, unknown> {
  const service = source.resource.get("service.name");
  const events = facts.events
    .filter((event) => !isEvaluation(event))
    .map(({ name, nanos, attributes }) => ({
      name,
      time: toTimestamp(nanos),
      attributes: boundValue(Object.fromEntries(attributes)),
    }));
  const links = span.links.map(({ traceId, spanId, attributes }) => ({
    trace_id: traceId,
    span_id: spanId,
    attributes: boundValue(Object.fromEntries(attributes)),
  }));
  return {
    ...Object.fromEntries(Object.entries(facts.attributes).map(([name, value]) => [name, boundValue(value)])),
    ...(interrupts === undefined ? {} : { interrupts }),
    ...(Object.keys(bent).length === 0 ? {} : { [BENT]: bent }),
    "otel.span_id": span.spanId,
    ...(facts.name === span.name ? {} : { "otel.span_name": span.name }),
    ...(source.scope.name === "" ? {} : { "otel.scope": [source.scope.name, source.scope.version].filter(Boolean).join(" ") }),
    ...(service === undefined ? {} : { "service.name": service }),
    ...(events.length === 0 ? {} : { "otel.events": events }),
    ...(links.length === 0 ? {} : { "otel.links": links }),
  };
}

/** A tool call in the fields of the contract, which has an object of parameters. */
function toolEntryOf({ span, facts, status, input, output }: Common): BodyOf<"observation.end">["tool_entry"] {
  if (facts.toolName === undefined) {
    return undefined;
  }
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return {
    tool_name: boundText(facts.toolName, MAX_NAME_LENGTH),
    parameters: isObject ? Object.fromEntries(Object.entries(input)) : input === undefined || input === null ? {} : { input },
    result: output ?? null,
    timestamp: toTimestamp(span.startNanos),
    status: status === "success" ? "success" : "failure",
  };
}

function draft<Type extends EventType>(projectId: string, type: Type, body: BodyOf<Type>): DraftEvent {
  const text = writeBody(body);
  return { id: toEventId(projectId, type, text), type, body: text };
}

function optionalName(text: string | undefined): string | undefined {
  return text === undefined ? undefined : boundText(text, MAX_NAME_LENGTH);
}
