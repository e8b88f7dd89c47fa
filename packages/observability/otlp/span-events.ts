import type { EventType, StreamEvent } from "#events/event.ts";
import { createJsonReader, type JsonReader } from "#otlp/dialects/attribute-reader.ts";
import { createFactReader } from "#otlp/dialects/fact-reader.ts";
import { MAX_NAME_LENGTH, type OtlpScopeSpans, type OtlpSpan, type OtlpValue } from "#otlp/wire/otlp-span.ts";
import { toEventId, toObservationId, toTraceId } from "./identifiers.ts";
import { BENT } from "#events/bend-event.ts";
import { bendSpan, writeBody, type Bent } from "./bend-span.ts";
import { boundText, boundValue } from "./bound-value.ts";
import { countOnce } from "./count-once.ts";
import { findPauses, type Pause } from "./find-pauses.ts";
import { findReasoning } from "./find-reasoning.ts";
import { readLabels, readSpanFacts, type SpanFacts } from "./span-facts.ts";
import { readSpanError, type EndStatus, readSpanInterrupts, readSpanStatus } from "./span-status.ts";
import { mapLabels } from "#trace-labels.ts";
import { toTracePurpose } from "#trace-purpose.ts";
import { toTimestamp } from "./timestamp.ts";

type BodyOf<Type extends EventType> = Extract<StreamEvent, { type: Type }>["body"];

/** An event that has no number of the stream yet. */
export type DraftEvent = { readonly id: string; readonly type: EventType; readonly body: string };

export type SpanEvents = { readonly events: readonly DraftEvent[]; readonly refused: readonly string[] };

type Source = Omit<OtlpScopeSpans, "spans">;
type Given = { readonly span: OtlpSpan; readonly source: Source; readonly bent: Bent };
type Placed = Given & { readonly place: SpanPosition };

/**
 * `root` has no parent, so it is the trace's own start and end. `entrance` has its parent in another process, which may send
 * its spans elsewhere or never; `orphan` in another request, which may come. Both stand in for the root until that comes.
 */
type SpanPosition = "root" | "entrance" | "orphan" | "child";

/** Converts a request's spans to events, in the order of their start; a span that can't be converted is refused with the reason. */
export function toSpanEvents(projectId: string, batches: readonly OtlpScopeSpans[]): SpanEvents {
  const refused: string[] = [];
  const spans = batches.flatMap(({ spans: given, ...source }) => given.map((span) => ({ span, source })));
  const readable = spans.flatMap(({ span: given, source }) => {
    const reason = problemOf(given);
    if (reason !== undefined) {
      refused.push(reason);
      return [];
    }
    const { span, bent } = bendSpan(given);
    return [{ span, source, bent }];
  });
  const readJson = createJsonReader();
  const present = new Map(readable.map(({ span }) => [`${span.traceId} ${span.spanId}`, span]));
  const read = placeSpans(readable).map((each) => ({
    ...each,
    facts: readSpanFacts(each.span, readJson, present.get(`${each.span.traceId} ${each.span.parentSpanId}`)),
    isInterrupted: readSpanStatus(each.span) === "interrupted",
    isStart: each.place === "root" || each.place === "entrance",
  }));
  const placed = countOnce(nameTraces(read));
  const pauses = findPauses(placed);
  const events = placed.flatMap((each) => eventsOf(projectId, { ...each, pause: pauses.get(each.span.traceId) }, readJson));
  return { events, refused };
}

/** Only what cannot be placed is refused: all else is worth more than the one field that is wrong. */
function problemOf({ traceId, spanId, startNanos, endNanos }: OtlpSpan): string | undefined {
  if (!isId(traceId, 32)) {
    return "a span's trace_id is not 16 bytes, or all zero";
  }
  if (!isId(spanId, 16)) {
    return `a span of the trace ${traceId} has a span_id that is not 8 bytes, or all zero`;
  }
  return startNanos === 0n && endNanos === 0n ? `the span ${spanId} has neither start_time_unix_nano nor end_time_unix_nano` : undefined;
}

function isId(text: string, length: number): boolean {
  return text.length === length && /^[0-9a-f]+$/.test(text) && !/^0+$/.test(text);
}

const REMOTE_PARENT = 0x300;
const NO_PARENT = /^0*$/;

function placeSpans(spans: readonly Given[]): readonly Placed[] {
  const present = new Set(spans.map(({ span }) => `${span.traceId} ${span.spanId}`));
  const rooted = new Set(spans.flatMap(({ span }) => (NO_PARENT.test(span.parentSpanId) ? [span.traceId] : [])));
  const byStart = spans.toSorted((left, right) => Number(left.span.startNanos - right.span.startNanos));
  return byStart.map((given) => {
    const { span } = given;
    if (NO_PARENT.test(span.parentSpanId)) {
      return { ...given, place: "root" };
    }
    if (rooted.has(span.traceId) || present.has(`${span.traceId} ${span.parentSpanId}`)) {
      return { ...given, place: "child" };
    }
    // One root of a trace is enough: the earliest.
    rooted.add(span.traceId);
    return { ...given, place: (span.flags & REMOTE_PARENT) === REMOTE_PARENT ? "entrance" : "orphan" };
  });
}

type Named = Placed & { readonly facts: SpanFacts };

/** A root of an application's own need not know of whom its trace is: the earliest span that says so says it of the trace. */
function nameTraces<Each extends Named>(reads: readonly Each[]): readonly Each[] {
  const told = (name: "sessionId" | "userId") =>
    new Map(reads.toReversed().flatMap(({ span, facts }) => (facts[name] === undefined ? [] : [[span.traceId, facts[name]]])));
  const [sessions, users] = [told("sessionId"), told("userId")];
  return reads.map((each) => {
    const { place, span, facts } = each;
    const { sessionId = sessions.get(span.traceId), userId = users.get(span.traceId) } = facts;
    return place === "child" ? each : { ...each, facts: { ...facts, sessionId, userId } };
  });
}

type Read = Placed & { readonly facts: SpanFacts; readonly pause: Pause | undefined };

function eventsOf(projectId: string, { span, source, bent, place, facts, pause }: Read, readJson: JsonReader): readonly DraftEvent[] {
  const ids = {
    trace_id: toTraceId(projectId, span.traceId),
    observation_id: toObservationId(projectId, span.traceId, span.spanId),
  };
  const own = readSpanStatus(span);
  const status = own === "success" && pause?.waiting.has(span.spanId) === true ? "interrupted" : own;
  const input = boundValue(facts.input);
  const output = boundValue(facts.output);
  const common = {
    projectId,
    span,
    source,
    bent,
    place,
    facts,
    pause,
    status,
    interrupts: readSpanInterrupts(span, readJson),
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
    code: facts.code,
    graph_step: facts.task && { task: facts.task.task, step: facts.task.step, triggers: [...facts.task.triggers] },
    input,
    attributes: attributesOf(common),
  });
  const trace = [
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
    ...facts.call,
    reasoning: facts.kind === "llm" ? findReasoning(facts.output, readJson(span.attributes.get("output.value") ?? null)) : undefined,
    tool_entry: toolEntryOf(common),
    paused_at: pause?.at.get(span.spanId),
  });
  // An orphan cannot tell whether the whole trace has ended.
  return [...trace, start, end, ...(place === "root" || place === "entrance" ? [traceEnd(ids.trace_id, common)] : [])];
}

type Common = {
  readonly projectId: string;
  readonly span: OtlpSpan;
  readonly source: Source;
  readonly bent: Bent;
  readonly place: SpanPosition;
  readonly facts: SpanFacts;
  readonly pause: Pause | undefined;
  readonly status: EndStatus;
  readonly interrupts: OtlpValue | undefined;
  readonly input: OtlpValue | undefined;
  readonly output: OtlpValue | undefined;
};

function traceStart(traceId: string, { projectId, span, source, place, facts, input }: Common): DraftEvent {
  return draft(projectId, "trace.start", {
    trace_id: traceId,
    name: boundText(facts.traceName ?? facts.name, MAX_NAME_LENGTH),
    started_at: toTimestamp(span.startNanos),
    thread_id: optionalName(facts.threadId),
    session_id: optionalName(facts.sessionId),
    user_id: optionalName(facts.userId),
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

function traceEnd(traceId: string, { projectId, span, place, status, output }: Common): DraftEvent {
  return draft(projectId, "trace.end", {
    trace_id: traceId,
    ended_at: toTimestamp(span.endNanos),
    status: readSpanStatus(span), // a step that waits says so itself: the trace may go on
    output,
    error: readSpanError(span),
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
  const events = facts.events.map(({ name, nanos, attributes }) => ({
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
