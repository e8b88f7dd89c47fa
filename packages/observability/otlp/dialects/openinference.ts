import { toRecord, type OtlpValue } from "#otlp/wire/otlp-span.ts";
import { withPrefix, type Dialect, type SpanReader } from "./dialect.ts";

export const openInference: Dialect = {
  name: "OpenInference",
  canRead: withPrefix("openinference", "llm", "embedding", "tool", "tag", "input", "output", "retrieval", "reranker"),
  kinds: { LLM: "llm", TOOL: "tool", RETRIEVER: "retriever", RERANKER: "retriever", AGENT: "graph", EMBEDDING: "embedding" },
  readKind: ({ attributes }) => attributes.get("openinference.span.kind"),
  facts: {
    toolName: ["tool.name"],
    messages: readMessages,
    answer: ({ tree }) => tree("llm.output_messages") ?? tree("retrieval.documents") ?? tree("reranker.output_documents"),
    input: ["input.value"],
    output: ["output.value"],
    tags: ["tag.tags"],
    responseModel: ["llm.model_name", "embedding.model_name"],
    // A call that failed has no answer to name the model.
    requestModel: ({ peek }) => toRecord(peek("llm.invocation_parameters"))?.["model"],
    usage: ({ group }) => group("llm.token_count."),
    totalTokens: ["llm.token_count.total"],
    inputTokens: ["llm.token_count.prompt"],
    outputTokens: ["llm.token_count.completion"],
    cacheReadTokens: ["llm.token_count.prompt_details.cache_read"],
    cacheWriteTokens: ["llm.token_count.prompt_details.cache_write"],
    cost: ["llm.cost.total"],
    reasoningTokens: ["llm.token_count.completion_details.reasoning"],
  },
  firstTokenEvent: "First Token Stream Event",
};

/**
 * OpenInference leaves out what it can't spell out, such as a system message of blocks in LangChain.js, and keeps the whole as one text
 * beside it, which LangChain's messages can be read from.
 */
function readMessages({ tree, peek, value }: SpanReader): OtlpValue | undefined {
  const messages = tree("llm.input_messages");
  const isHollow = itemsIn(messages).some((message) => Object.keys(toRecord(message) ?? {}).join() === "role");
  const [whole, ...others] = isHollow ? itemsIn(toRecord(peek("input.value"))?.["messages"]) : [];
  return others.length === 0 && itemsIn(whole).some((message) => toRecord(message)?.["lc"] !== undefined) ? value("input.value") : messages;
}

function itemsIn(value: OtlpValue | undefined): readonly OtlpValue[] {
  return Array.isArray(value) ? value : [];
}
