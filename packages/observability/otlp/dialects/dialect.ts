import type { ObservationKind } from "#contract.ts";
import type { LabelName } from "#trace-labels.ts";
import type { OtlpEvent, OtlpSpan, OtlpValue } from "#otlp/wire/otlp-span.ts";
import type { AttributeReader, JsonReader } from "./attribute-reader.ts";

type StepFact = "name" | "toolName" | "agentName" | "toolInput" | "toolOutput" | "codeFile" | "codeLine" | "codeFunction";
type MessageFact = "system" | "messages" | "answer" | "input" | "output" | "agentOutput";
type TraceFact = LabelName | "traceName" | "purpose" | "threadId" | "sessionId" | "userId" | "tags" | "metadata";
type TokenFact =
  | "totalTokens"
  | "inputTokens"
  | "uncachedInputTokens"
  | "outputTokens"
  | "cacheReadTokens"
  | "cacheWriteTokens"
  | "reasoningTokens";
type CallFact =
  | "cost"
  | "promptName"
  | "promptVersion"
  | "responseModel"
  | "requestModel"
  | "usage"
  | "firstTokenSeconds"
  | "firstTokenMilliseconds"
  | "firstTokenTime";

/** Facts that the platform wants to know of a step. */
export type Fact = StepFact | MessageFact | TraceFact | TokenFact | CallFact;

export type NamedSpan = Pick<OtlpSpan, "name" | "attributes" | "events">;

/** A span as the functions of a dialect read it. */
export type SpanReader = NamedSpan & AttributeReader & { readonly parent: NamedSpan | undefined };

/** Attributes, the first of which that is there counts; or a function that finds the value. */
export type Source = readonly string[] | ((span: SpanReader) => OtlpValue | undefined);

/** One task of a graph's run: the same task again is the run after an interrupt. */
export type GraphTask = { readonly node: string; readonly task: string; readonly step: number; readonly triggers: readonly string[] };

export type EventMessages = Partial<Readonly<Record<"input" | "output", OtlpValue>>>;

/** How one convention or framework says what it says of a step. A new one is a file and its line in dialects.ts. */
export type Dialect = {
  readonly name: string;
  /** @param prefixes the beginnings of the span's attributes, up to the first dot. */
  readonly canRead: (span: NamedSpan, prefixes: ReadonlySet<string>) => boolean;
  /** Its words for kinds. An embedding is a plain span that has a model and tokens. */
  readonly kinds?: Readonly<Record<string, ObservationKind | "embedding">>;
  readonly readKind?: (span: SpanReader) => OtlpValue | undefined;
  readonly facts?: Readonly<Partial<Record<Fact, Source>>>;
  /** Attributes that no other dialect may read, and that are not kept as attributes. */
  readonly hides?: (span: SpanReader) => readonly string[];
  readonly readTask?: (span: SpanReader) => GraphTask | undefined;
  /** Messages that an event of the span holds, for sides that no attribute has. */
  readonly readEvent?: (event: OtlpEvent, readJson: JsonReader) => EventMessages | undefined;
  /** The event whose time is that of the first token. */
  readonly firstTokenEvent?: string;
  /** An event that says no more than its time. */
  readonly isEmptyEvent?: (event: OtlpEvent) => boolean;
};

/** Reads spans that have an attribute, or attributes whose names begin so up to the first dot. */
export function withPrefix(...known: readonly string[]): Dialect["canRead"] {
  return (_span, prefixes) => known.some((prefix) => prefixes.has(prefix));
}

/** Fields of the trace itself, or of LangGraph's tasks: not notes of the application. */
const NOT_NOTES = /^(?:user_id|session_id|userId|sessionId|tags|checkpoint_ns|langgraph_.*)$/;

/** The application's own notes under a prefix. They stay attributes too: a trace has those of its root alone. */
export function notesUnder(prefix: string): (span: NamedSpan) => Readonly<Record<string, OtlpValue>> {
  return ({ attributes }) => {
    const notes = [...attributes]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value] as const);
    return Object.fromEntries(notes.filter(([name]) => !NOT_NOTES.test(name)));
  };
}
