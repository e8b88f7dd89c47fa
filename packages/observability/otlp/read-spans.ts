import { createJsonReader, type JsonReader } from "#otlp/dialects/attribute-reader.ts";
import type { OtlpScopeSpans, OtlpSpan } from "#otlp/wire/otlp-span.ts";
import { bendSpan, type Bent } from "./bend-span.ts";
import { readSpanFacts, type SpanFacts } from "./span-facts.ts";
import { readSpanStatus } from "./span-status.ts";

export type Source = Omit<OtlpScopeSpans, "spans">;
type Given = { readonly span: OtlpSpan; readonly source: Source; readonly bent: Bent };
type Placed = Given & { readonly place: SpanPosition };
/** Facts of a trace that its steps tell, where the span that starts or ends it does not. */
type Told = Pick<SpanFacts, "sessionId" | "userId">;
export type ReadSpan = Placed & {
  readonly told?: Told | undefined;
  readonly facts: SpanFacts;
  readonly isInterrupted: boolean;
  readonly isStart: boolean;
};

/**
 * `root` has no parent, so it is the trace's own start and end. `entrance` has its parent in another process, which may send
 * its spans elsewhere or never; `orphan` in another request, which may come. Both stand in for the root until that comes.
 */
export type SpanPosition = "root" | "entrance" | "orphan" | "child";

export type ReadSpans = {
  /** In the order of their start. */
  readonly spans: readonly ReadSpan[];
  /** Why the others can't be taken. */
  readonly refused: readonly string[];
  /** Goes on counting what the request holds. */
  readonly readJson: JsonReader;
};

/** Reads what a request's spans say, and where each stands in its trace. */
export function readSpans(batches: readonly OtlpScopeSpans[]): ReadSpans {
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
  const read = placeSpans(readable.filter((given) => !isDefinition(given, readable))).map((each) => ({
    ...each,
    facts: readSpanFacts(each.span, readJson, present.get(`${each.span.traceId} ${each.span.parentSpanId}`)),
    isInterrupted: readSpanStatus(each.span) === "interrupted",
    isStart: each.place === "root" || each.place === "entrance",
  }));
  return { spans: tellTraces(read), refused, readJson };
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
export const NO_PARENT = /^0*$/;

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

/** A root of an application's own need not know of whom its trace is: the earliest span that says so says it of the trace. */
function tellTraces(reads: readonly ReadSpan[]): readonly ReadSpan[] {
  const byTrace = Map.groupBy(reads, ({ span }) => span.traceId);
  const told = new Map([...byTrace].map(([traceId, own]) => [traceId, readTold(own)]));
  return reads.map((each) => (each.place === "child" ? each : { ...each, told: told.get(each.span.traceId) }));
}

function readTold(reads: readonly ReadSpan[]): Told {
  return {
    sessionId: reads.find(({ facts }) => facts.sessionId !== undefined)?.facts.sessionId,
    userId: reads.find(({ facts }) => facts.userId !== undefined)?.facts.userId,
  };
}

/** A definition of an agent, such as AutoGen's, runs nothing: alone it is no trace. */
function isDefinition({ span }: Given, spans: readonly Given[]): boolean {
  return (
    span.attributes.get("gen_ai.operation.name") === "create_agent" &&
    NO_PARENT.test(span.parentSpanId) &&
    spans.every((other) => other.span === span || other.span.traceId !== span.traceId)
  );
}
