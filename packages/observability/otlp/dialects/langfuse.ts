import { toRecord, type OtlpValue } from "#otlp/wire/otlp-span.ts";
import { toCount } from "./attribute-reader.ts";
import { withPrefix, type Dialect, type SpanReader } from "./dialect.ts";

const METADATA = "langfuse.trace.metadata.";
const USAGE = "langfuse.observation.usage_details";

/** Names of tokens: by Langfuse, and by OpenAI and Anthropic, whose counts its integrations hand on. */
const CACHE_READ = ["cache_read_input_tokens", "input_cached_tokens", "input_cache_read"];
const CACHE_WRITE = ["cache_creation_input_tokens", "input_cache_creation"];
const REASONING = ["output_reasoning_tokens", "output_reasoning"];
const OF_INPUT = ["prompt_tokens_details", "input_tokens_details"];
const OF_OUTPUT = ["completion_tokens_details", "output_tokens_details"];

/** Langfuse's own SDKs, of Python and JavaScript, from their third version on. */
export const langfuse: Dialect = {
  name: "Langfuse",
  canRead: withPrefix("langfuse"),
  kinds: { generation: "llm", tool: "tool", retriever: "retriever", agent: "graph", embedding: "embedding" },
  readKind: ({ attributes }) => attributes.get("langfuse.observation.type"),
  facts: {
    traceName: ["langfuse.trace.name"],
    input: ["langfuse.observation.input", "langfuse.trace.input"],
    output: ["langfuse.observation.output", "langfuse.trace.output"],
    sessionId: ["langfuse.session.id"],
    userId: ["langfuse.user.id"],
    environment: ["langfuse.environment"],
    release: ["langfuse.release"],
    version: ["langfuse.version"],
    tags: ["langfuse.trace.tags"],
    // Python's SDK writes texts as JSON too, JavaScript's as they are.
    metadata: ({ group, readJson }) =>
      Object.fromEntries(Object.entries(group(METADATA)).map(([name, value]) => [name.slice(METADATA.length), readJson(value)])),
    responseModel: ["langfuse.observation.model.name"],
    promptName: ["langfuse.observation.prompt.name"],
    promptVersion: ["langfuse.observation.prompt.version"],
    usage: ({ value }) => value(USAGE),
    inputTokens: (span) => countIn(span, ["input", "prompt_tokens", "input_tokens"]),
    // What it calls `input` is without what was cached.
    uncachedInputTokens: (span) => countIn(span, ["input"]),
    // What it calls `output` is without what was reasoned.
    outputTokens: (span) => {
      const output = countIn(span, ["output"]);
      return output === undefined ? countIn(span, ["completion_tokens", "output_tokens"]) : output + (countIn(span, REASONING) ?? 0);
    },
    cacheReadTokens: (span) => countIn(span, CACHE_READ) ?? countWithin(span, OF_INPUT, "cached_tokens"),
    cacheWriteTokens: (span) => countIn(span, CACHE_WRITE),
    reasoningTokens: (span) => countIn(span, REASONING) ?? countWithin(span, OF_OUTPUT, "reasoning_tokens"),
    cost: ({ peek }) => {
      const { total, ...parts } = toRecord(peek("langfuse.observation.cost_details")) ?? {};
      const known = Object.values(parts).filter((part) => typeof part === "number");
      return total ?? (known.length === 0 ? undefined : known.reduce((sum, part) => sum + part, 0));
    },
    firstTokenTime: ["langfuse.observation.completion_start_time"],
  },
};

function usageOf({ peek }: SpanReader): Readonly<Record<string, OtlpValue>> {
  return toRecord(peek(USAGE)) ?? {};
}

function countIn(span: SpanReader, names: readonly string[]): number | undefined {
  const usage = usageOf(span);
  return names.map((name) => toCount(usage[name] ?? null)).find((count) => count !== undefined);
}

function countWithin(span: SpanReader, groups: readonly string[], name: string): number | undefined {
  const usage = usageOf(span);
  return groups.map((group) => toCount(toRecord(usage[group])?.[name] ?? null)).find((count) => count !== undefined);
}
