import type { ObservationKind } from "#contract.ts";
import { createAttributeReader, createJsonReader, type AttributeReader, type JsonReader } from "./attribute-reader.ts";
import { toRecord, toText, type OtlpAttributes, type OtlpEvent, type OtlpSpan, type OtlpValue } from "./otlp-span.ts";
import { readLangGraphTask, type LangGraphTask } from "./langgraph-task.ts";
import { readDialect } from "./dialects/read-dialect.ts";
import { readMessageEvents } from "./read-message-events.ts";
import { readModelCall, type ModelCall } from "./read-model-call.ts";
import { nameOf } from "./span-name.ts";

/** The facts of a span, whichever convention it uses: GenAI, OpenInference, Traceloop or the AI SDK's own. */
export type SpanFacts = {
  readonly kind: ObservationKind;
  readonly name: string;
  /** Of a model call only: agents and the outer spans of the AI SDK repeat the sums of the calls below them. */
  readonly call: ModelCall | undefined;
  readonly input: OtlpValue | undefined;
  readonly output: OtlpValue | undefined;
  readonly toolName: string | undefined;
  readonly task: LangGraphTask | undefined;
  readonly threadId: string | undefined;
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  readonly environment: string | undefined;
  readonly release: string | undefined;
  readonly version: string | undefined;
  readonly tags: readonly string[];
  /** What the application noted of the trace, by its own names. */
  readonly metadata: Readonly<Record<string, OtlpValue>>;
  readonly code: { readonly file: string; readonly line: number; readonly function?: string } | undefined;
  /** Attributes that no other field has used. */
  readonly attributes: Readonly<Record<string, OtlpValue>>;
  /** Events that no other field has used. */
  readonly events: readonly OtlpEvent[];
};

type GivenSpan = Pick<OtlpSpan, "name" | "attributes" | "startNanos" | "endNanos" | "events">;

/** @param parent where it is in the same request. */
export function readSpanFacts(given: GivenSpan, readJson: JsonReader = createJsonReader(), parent?: GivenSpan): SpanFacts {
  const span = { ...given, ...readDialect(given, parent, readJson) };
  const read = createAttributeReader(span.attributes, readJson);
  // LangChain's, as OpenInference hands it on.
  const metadata = toRecord(readJson(span.attributes.get("metadata") ?? null)) ?? {};
  const kind = kindOf(span, metadata);
  const isModelCall = kind === "llm" || isEmbedding(span.attributes);
  const toolName = kind === "tool" ? (read.text(...TOOL_NAMES) ?? span.name.replace(/\.__call__$/, "")) : undefined;
  const task = readLangGraphTask(span, metadata);
  const own = { input: inputOf(read, kind), output: outputOf(read, kind) };
  const wanted = (["input", "output"] as const).filter((side) => own[side] === undefined);
  const told = readMessageEvents(span.events, { wanted, kind, readJson });
  const agentName = kind === "graph" ? read.text("gen_ai.agent.name", "ai.telemetry.functionId") : undefined;
  const noted = notedIn(span.attributes);
  return {
    kind,
    name: toolName ?? agentName ?? task?.node ?? nameOf(span),
    toolName,
    task,
    call: isModelCall ? readModelCall(span, read) : undefined,
    input: own.input ?? told.input,
    output: own.output ?? told.output,
    events: told.rest.filter((event) => !isBareChunk(event)),
    threadId: firstText(
      read.text("gen_ai.conversation.id", "traceloop.association.properties.thread_id"),
      metadata["thread_id"],
      metadata["langgraph_thread_id"],
      noted["threadId"],
    ),
    sessionId: firstText(
      read.text("session.id", "traceloop.association.properties.session_id", "ai.telemetry.metadata.sessionId", "langfuse.session.id"),
      metadata["session_id"],
    ),
    userId: firstText(
      read.text("user.id", "enduser.id", "traceloop.association.properties.user_id", "ai.telemetry.metadata.userId", "langfuse.user.id"),
      metadata["user_id"],
    ),
    environment: read.text("langfuse.environment", "deployment.environment.name", "deployment.environment"),
    release: read.text("langfuse.release"),
    version: read.text("langfuse.version"),
    tags: tagsOf(read.value("langfuse.trace.tags", "tag.tags", "langsmith.span.tags", "ai.telemetry.metadata.tags")),
    metadata: { ...metadata, ...noted, ...below("langfuse.trace.metadata.", read.group("langfuse.trace.metadata.")) },
    code: codeOf(read),
    // Read last, when the other fields have taken theirs; names that the span itself does not have are a dialect's.
    attributes: Object.fromEntries(Object.entries(read.rest()).filter(([name]) => given.attributes.has(name))),
  };
}

const TOOL_NAMES = ["gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name"];

/** Prefixes of an application's own notes. They stay attributes too: a trace has those of its root alone. */
const NOTED = ["traceloop.association.properties.", "ai.telemetry.metadata.", "mastra.metadata."];
/** Fields of the trace themselves, or LangGraph's, of a step and no note. */
const NO_NOTE = /^(?:user_id|session_id|userId|sessionId|tags|checkpoint_ns|langgraph_.*)$/;

function notedIn(attributes: OtlpAttributes): Readonly<Record<string, OtlpValue>> {
  const noted = NOTED.flatMap((prefix) =>
    [...attributes].filter(([name]) => name.startsWith(prefix)).map(([name, value]) => [name.slice(prefix.length), value] as const),
  );
  return Object.fromEntries(noted.filter(([name]) => !NO_NOTE.test(name)));
}

/** Traceloop has one for each chunk of a stream, and nothing in it; the first is the time to first token. */
function isBareChunk({ name, attributes }: OtlpEvent): boolean {
  return name === "gen_ai.content.completion.chunk" && attributes.size === 0;
}

/** A list, or what some write instead: its JSON, or one tag. */
function tagsOf(value: OtlpValue | undefined): readonly string[] {
  const given = Array.isArray(value) ? value : [value];
  return given.flatMap((tag) => toText(tag) ?? []);
}

function below(prefix: string, group: Readonly<Record<string, OtlpValue>>): Readonly<Record<string, OtlpValue>> {
  return Object.fromEntries(Object.entries(group).map(([name, value]) => [name.slice(prefix.length), value]));
}

const KINDS: Readonly<Record<string, ObservationKind>> = {
  // OpenInference.
  LLM: "llm",
  TOOL: "tool",
  RETRIEVER: "retriever",
  RERANKER: "retriever",
  AGENT: "graph",
  // GenAI.
  chat: "llm",
  text_completion: "llm",
  generate_content: "llm",
  execute_tool: "tool",
  invoke_agent: "graph",
  invoke_workflow: "graph",
  retrieval: "retriever",
  rerank: "retriever",
  // Traceloop.
  workflow: "graph",
  agent: "graph",
  task: "node",
  tool: "tool",
  completion: "llm",
  // The AI SDK before it spoke GenAI.
  "ai.generateText": "graph",
  "ai.streamText": "graph",
  "ai.generateObject": "graph",
  "ai.streamObject": "graph",
  "ai.generateText.doGenerate": "llm",
  "ai.streamText.doStream": "llm",
  "ai.generateObject.doGenerate": "llm",
  "ai.streamObject.doStream": "llm",
  "ai.toolCall": "tool",
};

/** In order of precedence: a span of the AI SDK may carry names of GenAI for other instrumentations' sake. */
const KIND_NAMES = ["openinference.span.kind", "ai.operationId", "gen_ai.operation.name", "traceloop.span.kind", "llm.request.type"];

function kindOf({ name, attributes }: Pick<OtlpSpan, "name" | "attributes">, metadata: Readonly<Record<string, unknown>>): ObservationKind {
  // LangGraph tells its callbacks which node a run belongs to; the node's own run bears the node's name.
  if (metadata["langgraph_node"] === name && attributes.get("openinference.span.kind") === "CHAIN") {
    return "node";
  }
  const given = KIND_NAMES.map((kindName) => attributes.get(kindName)).filter((value) => typeof value === "string");
  const known = given.find((value) => Object.hasOwn(KINDS, value));
  return (known === undefined ? undefined : KINDS[known]) ?? "span";
}

const EMBEDDING = new Set<unknown>(["EMBEDDING", "embeddings", "embedding", "ai.embed.doEmbed", "ai.embedMany.doEmbed"]);

function isEmbedding(attributes: OtlpAttributes): boolean {
  return KIND_NAMES.some((name) => EMBEDDING.has(attributes.get(name)));
}

function inputOf(read: AttributeReader, kind: ObservationKind): OtlpValue | undefined {
  if (kind === "tool") {
    return argumentsIn(read.value("gen_ai.tool.call.arguments", "ai.toolCall.args", "input.value", "traceloop.entity.input"));
  }
  const messages = read.value("gen_ai.input.messages") ?? spelledOut(read) ?? read.tree("gen_ai.prompt");
  if (messages === undefined) {
    return read.value(
      "ai.prompt.messages",
      "ai.prompt",
      "input.value",
      "traceloop.entity.input",
      "gen_ai.prompt",
      "pydantic_ai.all_messages",
      "ai.value",
      "ai.values",
    );
  }
  const system = read.value("gen_ai.system_instructions");
  const isTold =
    system === undefined ||
    !Array.isArray(messages) ||
    (messages as readonly OtlpValue[]).some((message) => toRecord(message)?.["role"] === "system");
  return isTold ? messages : [{ role: "system", parts: system }, ...messages];
}

/**
 * OpenInference leaves out what it can't spell out, such as a system message of blocks in LangChain.js, and keeps the whole as one text
 * beside it, which LangChain's messages can be read from.
 */
function spelledOut(read: AttributeReader): OtlpValue | undefined {
  const messages = read.tree("llm.input_messages");
  const isHollow =
    Array.isArray(messages) && (messages as readonly OtlpValue[]).some((message) => Object.keys(toRecord(message) ?? {}).join() === "role");
  const [whole, ...others] = isHollow ? listOf(toRecord(read.peek("input.value") ?? null)?.["messages"]) : [];
  return others.length === 0 && listOf(whole).some((message) => toRecord(message)?.["lc"] !== undefined)
    ? read.value("input.value")
    : messages;
}

/**
 * The arguments of a call by their names: Python's decorators keep those without one apart, Traceloop's callbacks for LangChain have them
 * among what the callback was told.
 */
function argumentsIn(input: OtlpValue | undefined): OtlpValue | undefined {
  const given = toRecord(input) ?? {};
  const { args = [], kwargs, inputs } = given;
  if ("input_str" in given && toRecord(inputs) !== undefined) {
    return inputs;
  }
  const isCall = toRecord(kwargs) !== undefined && Object.keys(given).every((name) => name === "args" || name === "kwargs");
  return isCall && listOf(args).length === 0 ? kwargs : input;
}

function listOf(value: OtlpValue | undefined): readonly OtlpValue[] {
  return Array.isArray(value) ? value : [];
}

function outputOf(read: AttributeReader, kind: ObservationKind): OtlpValue | undefined {
  if (kind === "tool") {
    return read.value("gen_ai.tool.call.result", "ai.toolCall.result", "output.value", "traceloop.entity.output");
  }
  return (
    read.value("gen_ai.output.messages") ??
    read.tree("llm.output_messages") ??
    read.tree("gen_ai.completion") ??
    read.tree("retrieval.documents") ??
    read.tree("reranker.output_documents") ??
    answerOfAiSdk(read) ??
    read.value("output.value", "traceloop.entity.output", "gen_ai.completion") ??
    // Pydantic AI's agents write it; another span may mean anything by the name.
    (kind === "graph" ? read.value("final_result") : undefined)
  );
}

/** Parts of the answer are attributes of their own; one that is alone is the answer. */
function answerOfAiSdk(read: AttributeReader): OtlpValue | undefined {
  const parts = Object.entries({
    text: read.text("ai.response.text"),
    reasoning: read.value("ai.response.reasoning"),
    tool_calls: read.value("ai.response.toolCalls"),
    object: read.value("ai.response.object"),
  }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const [only, ...others] = parts;
  return only === undefined ? undefined : others.length === 0 && only[0] !== "reasoning" ? only[1] : Object.fromEntries(parts);
}

function codeOf(read: AttributeReader): SpanFacts["code"] {
  const file = read.text("code.file.path", "code.filepath");
  const line = read.count("code.line.number", "code.lineno");
  if (file === undefined || line === undefined || line === 0) {
    return undefined;
  }
  const name = read.text("code.function.name", "code.function");
  return { file: file.slice(0, 4096), line, ...(name === undefined ? {} : { function: name.slice(0, 500) }) };
}

function firstText(...candidates: readonly unknown[]): string | undefined {
  return candidates.map(toText).find((text) => text !== undefined);
}
