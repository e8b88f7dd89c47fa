import type { OtlpValue } from "#otlp/wire/otlp-span.ts";
import { notesUnder, withPrefix, type Dialect, type SpanReader } from "./dialect.ts";

const METADATA = "ai.telemetry.metadata.";
/** Its version 7 has the run's context instead, where it is told to. */
const CONTEXT = "ai.settings.context.";

/** The AI SDK's own names, of which it wrote more before it spoke GenAI. */
export const aiSdk: Dialect = {
  name: "AI SDK",
  canRead: withPrefix("ai"),
  kinds: {
    "ai.generateText": "graph",
    "ai.streamText": "graph",
    "ai.generateObject": "graph",
    "ai.streamObject": "graph",
    "ai.generateText.doGenerate": "llm",
    "ai.streamText.doStream": "llm",
    "ai.generateObject.doGenerate": "llm",
    "ai.streamObject.doStream": "llm",
    "ai.embed.doEmbed": "embedding",
    "ai.embedMany.doEmbed": "embedding",
    "ai.toolCall": "tool",
  },
  readKind: ({ attributes }) => attributes.get("ai.operationId"),
  facts: {
    toolName: ["ai.toolCall.name"],
    agentName: ["ai.telemetry.functionId"],
    toolInput: ["ai.toolCall.args"],
    toolOutput: ["ai.toolCall.result"],
    messages: ["ai.prompt.messages", "ai.prompt"],
    answer: readAnswer,
    input: ["ai.value", "ai.values"],
    threadId: ({ attributes }) => attributes.get(`${METADATA}threadId`) ?? attributes.get(`${CONTEXT}threadId`),
    sessionId: [`${METADATA}sessionId`, `${CONTEXT}sessionId`],
    userId: [`${METADATA}userId`, `${CONTEXT}userId`],
    tags: [`${METADATA}tags`, `${CONTEXT}tags`],
    metadata: (span) => ({ ...notesUnder(CONTEXT)(span), ...notesUnder(METADATA)(span) }),
    responseModel: ["ai.response.model"],
    requestModel: ["ai.model.id"],
    usage: ({ group }) => group("ai.usage."),
    totalTokens: ["ai.usage.totalTokens"],
    inputTokens: ["ai.usage.inputTokens", "ai.usage.promptTokens", "ai.usage.tokens"],
    uncachedInputTokens: ["ai.usage.inputTokenDetails.noCacheTokens"],
    outputTokens: ["ai.usage.outputTokens", "ai.usage.completionTokens"],
    cacheReadTokens: ["ai.usage.inputTokenDetails.cacheReadTokens", "ai.usage.cachedInputTokens"],
    cacheWriteTokens: ["ai.usage.inputTokenDetails.cacheWriteTokens"],
    reasoningTokens: ["ai.usage.outputTokenDetails.reasoningTokens", "ai.usage.reasoningTokens"],
    firstTokenMilliseconds: ["ai.response.msToFirstChunk", "ai.stream.msToFirstChunk"],
  },
};

/** Parts of the answer are attributes of their own; one that is alone is the answer. */
function readAnswer({ text, value }: SpanReader): OtlpValue | undefined {
  const parts = Object.entries({
    text: text("ai.response.text"),
    reasoning: value("ai.response.reasoning"),
    tool_calls: value("ai.response.toolCalls"),
    object: value("ai.response.object"),
  }).flatMap(([name, part]) => (part === undefined ? [] : [[name, part] as const]));
  const [only, ...others] = parts;
  return only === undefined ? undefined : others.length === 0 && only[0] !== "reasoning" ? only[1] : Object.fromEntries(parts);
}
