import { toRecord, type OtlpValue } from "#otlp/wire/otlp-span.ts";
import type { Dialect, NamedSpan, SpanReader } from "./dialect.ts";

type HaystackSpan = { readonly input: string; readonly output: string; readonly kind?: string };

const PIPELINE = { input: "haystack.pipeline.input_data", output: "haystack.pipeline.output_data", kind: "AGENT" };

/** The attributes of input and output, and the kind, by the names of the spans. */
const SPANS: Readonly<Record<string, HaystackSpan>> = {
  "haystack.pipeline.run": PIPELINE,
  "haystack.async_pipeline.run": PIPELINE,
  "haystack.component.run": { input: "haystack.component.input", output: "haystack.component.output" },
  "haystack.agent.run": { input: "haystack.agent.input", output: "haystack.agent.output", kind: "AGENT" },
  "haystack.agent.step.llm": { input: "haystack.agent.step.llm.input", output: "haystack.agent.step.llm.output", kind: "LLM" },
  "haystack.agent.step.tool": { input: "haystack.agent.step.tool.input", output: "haystack.agent.step.tool.output", kind: "TOOL" },
};

/** Components say by the ends of their classes' names what they are: `OpenAIChatGenerator`, `InMemoryBM25Retriever`. */
const COMPONENTS: readonly (readonly [end: RegExp, kind: string])[] = [
  [/Generator$/, "LLM"],
  [/(?:Retriever|Ranker)$/, "RETRIEVER"],
  [/Embedder$/, "EMBEDDING"],
];

/** Haystack's own tracer: pipelines, their components, and agents. Kinds are in OpenInference's words. */
export const haystack: Dialect = {
  name: "Haystack",
  canRead: ({ name }) => Object.hasOwn(SPANS, name),
  readKind: (span) => kindOfSpan(span) ?? "task",
  facts: {
    name: ({ attributes }) => attributes.get("haystack.component.name"),
    toolName: ({ attributes }) => attributes.get("haystack.tool.name"),
    input: (span) => span.peek(namesIn(span).input),
    output: (span) => {
      const { replies, documents } = readOutput(span);
      const kind = kindOfSpan(span);
      return (kind === "LLM" ? replies : kind === "RETRIEVER" ? documents : undefined) ?? span.peek(namesIn(span).output);
    },
    responseModel: (span) => readMeta(span)["model"],
    usage: (span) => readMeta(span)["usage"],
    inputTokens: (span) => readUsage(span)["prompt_tokens"],
    outputTokens: (span) => readUsage(span)["completion_tokens"],
    cacheReadTokens: (span) => toRecord(readUsage(span)["prompt_tokens_details"])?.["cached_tokens"],
    reasoningTokens: (span) => toRecord(readUsage(span)["completion_tokens_details"])?.["reasoning_tokens"],
  },
  hides: (span) => [namesIn(span).input, namesIn(span).output],
};

function namesIn({ name }: NamedSpan): HaystackSpan {
  return SPANS[name] ?? PIPELINE;
}

function kindOfSpan(span: NamedSpan): string | undefined {
  const type = span.attributes.get("haystack.component.type");
  return namesIn(span).kind ?? COMPONENTS.find(([end]) => typeof type === "string" && end.test(type))?.[1];
}

function readOutput(span: SpanReader): Readonly<Record<string, OtlpValue>> {
  return toRecord(span.peek(namesIn(span).output)) ?? {};
}

/** It stands in a chat's reply, and of other generators and embedders beside the output. */
function readMeta(span: SpanReader): Readonly<Record<string, OtlpValue>> {
  const { replies, meta } = readOutput(span);
  return toRecord(first(toRecord(first(replies))?.["meta"] ?? meta)) ?? {};
}

function readUsage(span: SpanReader): Readonly<Record<string, OtlpValue>> {
  return toRecord(readMeta(span)["usage"]) ?? {};
}

function first(value: OtlpValue | undefined): OtlpValue | undefined {
  return Array.isArray(value) ? (value as readonly OtlpValue[])[0] : value;
}
