import { withPrefix, type Dialect } from "./dialect.ts";

/** Pydantic AI's names from before there were conventions. */
const OLD_DETAILS = "gen_ai.usage.details.";

const PROMPT_NAME = "gen_ai.prompt.name";
const PROMPT_VERSION = "gen_ai.prompt.version";

/** OpenTelemetry's conventions for generative AI, which most frameworks write beside their own names. */
export const genAi: Dialect = {
  name: "GenAI",
  canRead: withPrefix("gen_ai"),
  kinds: {
    chat: "llm",
    text_completion: "llm",
    generate_content: "llm",
    embeddings: "embedding",
    execute_tool: "tool",
    invoke_agent: "graph",
    invoke_workflow: "graph",
    retrieval: "retriever",
    rerank: "retriever",
  },
  readKind: ({ attributes }) => attributes.get("gen_ai.operation.name"),
  // Others write messages below `gen_ai.prompt`, of which these are none.
  hides: () => [PROMPT_NAME, PROMPT_VERSION],
  facts: {
    toolName: ["gen_ai.tool.name"],
    agentName: ["gen_ai.agent.name", "gen_ai.workflow.name"],
    toolInput: ["gen_ai.tool.call.arguments"],
    toolOutput: ["gen_ai.tool.call.result"],
    system: ["gen_ai.system_instructions"],
    messages: ["gen_ai.input.messages"],
    answer: ["gen_ai.output.messages"],
    threadId: ["gen_ai.conversation.id"],
    responseModel: ["gen_ai.response.model"],
    requestModel: ["gen_ai.request.model"],
    promptName: ({ peek }) => peek(PROMPT_NAME),
    promptVersion: ({ peek }) => peek(PROMPT_VERSION),
    usage: ({ group }) => group("gen_ai.usage."),
    totalTokens: ["gen_ai.usage.total_tokens"],
    inputTokens: ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"],
    outputTokens: ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"],
    cacheReadTokens: ["gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens", `${OLD_DETAILS}cache_read_tokens`],
    cacheWriteTokens: [
      "gen_ai.usage.cache_creation.input_tokens",
      "gen_ai.usage.cache_creation_input_tokens",
      `${OLD_DETAILS}cache_write_tokens`,
    ],
    reasoningTokens: [
      "gen_ai.usage.reasoning.output_tokens",
      "gen_ai.usage.reasoning_tokens",
      `${OLD_DETAILS}reasoning_tokens`,
      `${OLD_DETAILS}thoughts_tokens`,
    ],
    // OpenLIT's, OpenRouter's, and that of Logfire and Pydantic AI.
    cost: ["gen_ai.usage.cost", "gen_ai.usage.total_cost", "operation.cost"],
    // The second is Sentry's, the third the AI SDK's.
    firstTokenSeconds: [
      "gen_ai.response.time_to_first_chunk",
      "gen_ai.response.time_to_first_token",
      "gen_ai.client.operation.time_to_first_chunk",
    ],
  },
};
