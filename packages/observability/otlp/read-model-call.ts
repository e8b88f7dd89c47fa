import type { StreamEvent } from "#events/event.ts";
import type { AttributeReader } from "./attribute-reader.ts";
import { boundText } from "./bound-value.ts";
import { MAX_NAME_LENGTH } from "./otlp-span.ts";

/** What a model call tells of itself, in the fields of its end. */
export type ModelCall = Pick<Extract<StreamEvent, { type: "observation.end" }>["body"], "model" | "usage">;

export function readModelCall(read: AttributeReader): ModelCall {
  const model = read.text(
    "gen_ai.response.model",
    "ai.response.model",
    "llm.model_name",
    "embedding.model_name",
    "gen_ai.request.model",
    "ai.model.id",
    "llm.request.model",
  );
  return { model: model === undefined ? undefined : boundText(model, MAX_NAME_LENGTH), usage: readUsage(read) };
}

/**
 * Reads the tokens of a model call. Input tokens include cached ones: instrumentations that count them apart report
 * fewer input tokens than cached ones, or say so by the name.
 */
function readUsage(read: AttributeReader): ModelCall["usage"] {
  const uncached = read.count("ai.usage.inputTokenDetails.noCacheTokens");
  const given = read.count(
    "gen_ai.usage.input_tokens",
    "llm.token_count.prompt",
    "ai.usage.inputTokens",
    "gen_ai.usage.prompt_tokens",
    "ai.usage.promptTokens",
    "llm.usage.prompt_tokens",
    "ai.usage.tokens",
  );
  const output = read.count(
    "gen_ai.usage.output_tokens",
    "llm.token_count.completion",
    "ai.usage.outputTokens",
    "gen_ai.usage.completion_tokens",
    "ai.usage.completionTokens",
    "llm.usage.completion_tokens",
  );
  const cacheRead = read.count(
    "gen_ai.usage.cache_read.input_tokens",
    "llm.token_count.prompt_details.cache_read",
    "ai.usage.inputTokenDetails.cacheReadTokens",
    "ai.usage.cachedInputTokens",
    "gen_ai.usage.cache_read_input_tokens",
  );
  const cacheWrite = read.count(
    "gen_ai.usage.cache_creation.input_tokens",
    "llm.token_count.prompt_details.cache_write",
    "ai.usage.inputTokenDetails.cacheWriteTokens",
    "gen_ai.usage.cache_creation_input_tokens",
  );
  const reasoning = read.count(
    "gen_ai.usage.reasoning.output_tokens",
    "llm.token_count.completion_details.reasoning",
    "ai.usage.outputTokenDetails.reasoningTokens",
    "ai.usage.reasoningTokens",
    "gen_ai.usage.reasoning_tokens",
  );
  const raw = read.group("gen_ai.usage.", "llm.token_count.", "ai.usage.", "llm.usage.");
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const isCountedApart = given !== undefined && (given < cached || (cached > 0 && given === uncached));
  const known = Object.entries({
    input_tokens: isCountedApart ? given + cached : given,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    reasoning_tokens: reasoning,
  }).filter(([, count]) => count !== undefined);
  return known.length === 0 ? undefined : { ...Object.fromEntries(known), raw };
}
