import { createJsonReader, type JsonReader } from "#otlp/dialects/attribute-reader.ts";
import { createFactReader, type FactReader } from "#otlp/dialects/fact-reader.ts";
import { toRecord, toText, type OtlpSpan, type OtlpValue } from "#otlp/wire/otlp-span.ts";
import { collectMessages } from "./event-messages.ts";
import { mapLabels } from "#trace-labels.ts";
import { readModelCall } from "./read-model-call.ts";

export type SpanFacts = ReturnType<typeof readSpanFacts>;

type GivenSpan = Pick<OtlpSpan, "name" | "attributes" | "startNanos" | "endNanos" | "events">;

/**
 * Reads the facts of a span, whichever dialects it is in.
 *
 * @param parent where it is in the same request.
 */
export function readSpanFacts(span: GivenSpan, readJson: JsonReader = createJsonReader(), parent?: GivenSpan) {
  const read = createFactReader(span, readJson, parent);
  const { kind, task } = read;
  const name = read.text("name") ?? span.name;
  const toolName = kind === "tool" ? (read.text("toolName") ?? name) : undefined;
  const own = { input: readInput(read), output: readOutput(read) };
  const wanted = (["input", "output"] as const).filter((side) => own[side] === undefined);
  const messages = collectMessages(span.events, wanted, read);
  return {
    kind,
    name: toolName ?? (kind === "graph" ? read.text("agentName") : undefined) ?? task?.node ?? name,
    toolName,
    traceName: read.text("traceName"),
    task,
    /** Tokens of a model call only: agents and the outer spans of the AI SDK repeat the sums of the calls below them. */
    call: kind === "llm" || read.isEmbedding ? readModelCall(span, read) : undefined,
    prompt: kind === "llm" ? readPrompt(read) : undefined,
    input: own.input ?? messages.input,
    output: own.output ?? messages.output,
    /** Events and attributes that no other field has used; read last. */
    events: messages.rest.filter((event) => !read.isEmptyEvent(event)),
    threadId: read.text("threadId"),
    sessionId: read.text("sessionId"),
    userId: read.text("userId"),
    ...readLabels(read),
    purpose: read.text("purpose"),
    tags: toTags(read.value("tags")),
    /** The application's notes on the trace, by its own names. */
    metadata: read.fields("metadata"),
    code: readCode(read),
    attributes: read.rest(),
  };
}

/** Labels of a span, or of the process it ran in. */
export function readLabels(read: FactReader) {
  return mapLabels((name) => read.text(name));
}

function readPrompt(read: FactReader) {
  const [name, version] = [read.text("promptName"), read.text("promptVersion")];
  return name === undefined
    ? undefined
    : { name: name.slice(0, 200), ...(version === undefined ? {} : { version: version.slice(0, 100) }) };
}

/** Reads a list, or its JSON, or one tag. */
function toTags(value: OtlpValue | undefined): readonly string[] {
  const given = Array.isArray(value) ? value : [value];
  return given.flatMap((tag) => toText(tag) ?? []);
}

function readInput({ kind, value }: FactReader): OtlpValue | undefined {
  if (kind === "tool") {
    return toArguments(value("toolInput") ?? value("input"));
  }
  const messages = value("messages");
  if (messages === undefined) {
    return value("input");
  }
  const system = value("system");
  const hasSystem =
    Array.isArray(messages) && (messages as readonly OtlpValue[]).some((message) => toRecord(message)?.["role"] === "system");
  return system === undefined || !Array.isArray(messages) || hasSystem ? messages : [{ role: "system", parts: system }, ...messages];
}

/**
 * The arguments of a call by their names: Python's decorators keep those without one apart, Traceloop's callbacks for LangChain have them
 * among what the callback was told.
 */
function toArguments(input: OtlpValue | undefined): OtlpValue | undefined {
  const given = toRecord(input) ?? {};
  const { args = [], kwargs, inputs } = given;
  if ("input_str" in given && toRecord(inputs) !== undefined) {
    return inputs;
  }
  const isCall = toRecord(kwargs) !== undefined && Object.keys(given).every((name) => name === "args" || name === "kwargs");
  return isCall && (!Array.isArray(args) || args.length === 0) ? kwargs : input;
}

function readOutput({ kind, value }: FactReader): OtlpValue | undefined {
  if (kind === "tool") {
    return value("toolOutput") ?? value("output");
  }
  return value("answer") ?? value("output") ?? (kind === "graph" ? value("agentOutput") : undefined);
}

function readCode(read: FactReader) {
  const file = read.text("codeFile");
  const line = read.count("codeLine");
  if (file === undefined || line === undefined || line === 0) {
    return undefined;
  }
  const name = read.text("codeFunction");
  return { file: file.slice(0, 4096), line, ...(name === undefined ? {} : { function: name.slice(0, 500) }) };
}
