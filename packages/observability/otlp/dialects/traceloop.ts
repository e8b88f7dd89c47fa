import { toText } from "#otlp/wire/otlp-span.ts";
import { notesUnder, withPrefix, type Dialect } from "./dialect.ts";

const PROPERTIES = "traceloop.association.properties.";
const CHUNK = "gen_ai.content.completion.chunk";

/** Traceloop's OpenLLMetry, with names of GenAI from before that had conventions. */
export const traceloop: Dialect = {
  name: "Traceloop",
  canRead: withPrefix("traceloop", "llm", "gen_ai"),
  kinds: { workflow: "graph", agent: "graph", task: "node", tool: "tool", completion: "llm", embedding: "embedding" },
  readKind: ({ attributes }) => attributes.get("traceloop.span.kind") ?? attributes.get("llm.request.type"),
  facts: {
    // It writes the kind behind the name that a person gave.
    name: ({ name, attributes }) => {
      const [entity, kind] = ["traceloop.entity.name", "traceloop.span.kind"].map((key) => toText(attributes.get(key)) ?? "");
      return name === `${entity}.${kind}` ? entity : undefined;
    },
    toolName: ["traceloop.entity.name"],
    messages: ({ tree }) => tree("gen_ai.prompt"),
    answer: ({ tree }) => tree("gen_ai.completion"),
    input: ["traceloop.entity.input", "gen_ai.prompt"],
    output: ["traceloop.entity.output", "gen_ai.completion"],
    threadId: ({ text, attributes }) => text(`${PROPERTIES}thread_id`) ?? attributes.get(`${PROPERTIES}threadId`),
    sessionId: [`${PROPERTIES}session_id`],
    userId: [`${PROPERTIES}user_id`],
    metadata: notesUnder(PROPERTIES),
    promptName: ["traceloop.prompt.key"],
    promptVersion: ["traceloop.prompt.version"],
    requestModel: ["llm.request.model"],
    usage: ({ group }) => group("llm.usage."),
    totalTokens: ["llm.usage.total_tokens"],
    inputTokens: ["llm.usage.prompt_tokens"],
    outputTokens: ["llm.usage.completion_tokens"],
  },
  firstTokenEvent: CHUNK,
  isEmptyEvent: ({ name, attributes }) => name === CHUNK && attributes.size === 0,
};
