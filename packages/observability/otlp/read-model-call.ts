import { MAX_TIME_TO_FIRST_TOKEN_MS, type StreamEvent } from "#events/event.ts";
import type { AttributeReader } from "./attribute-reader.ts";
import { boundText } from "./bound-value.ts";
import { MAX_NAME_LENGTH, type OtlpSpan, type OtlpValue } from "./otlp-span.ts";

/** What a model call tells of itself, in the fields of its end. */
export type ModelCall = Pick<Extract<StreamEvent, { type: "observation.end" }>["body"], "model" | "usage" | "time_to_first_token_ms">;
type CallSpan = Pick<OtlpSpan, "attributes" | "startNanos" | "endNanos" | "events">;

export function readModelCall(span: CallSpan, read: AttributeReader): ModelCall {
  const named = read.text(
    "gen_ai.response.model",
    "ai.response.model",
    "llm.model_name",
    "embedding.model_name",
    "gen_ai.request.model",
    "ai.model.id",
    "llm.request.model",
  );
  const model = named ?? modelAskedFor(read.peek("llm.invocation_parameters"));
  return {
    model: model === undefined ? undefined : boundText(model, MAX_NAME_LENGTH),
    usage: readUsage(read),
    time_to_first_token_ms: readTimeToFirstToken(span, read),
  };
}

/** A call that failed has no answer to name the model: OpenInference's parameters of the request do. */
function modelAskedFor(parameters: OtlpValue | undefined): string | undefined {
  const { model } = typeof parameters === "object" && parameters !== null ? (parameters as { readonly model?: OtlpValue }) : {};
  return typeof model === "string" && model !== "" ? model : undefined;
}

/** OpenInference's of the first, Traceloop's of each chunk. */
const FIRST_TOKEN_EVENTS = new Set(["First Token Stream Event", "gen_ai.content.completion.chunk"]);

/**
 * GenAI, Sentry and OpenLIT tell seconds, the AI SDK milliseconds, Langfuse and OpenInference the moment; Strands Agents milliseconds under
 * OpenLIT's name, which are more seconds than the call took.
 */
function readTimeToFirstToken({ attributes, startNanos, endNanos, events }: CallSpan, read: AttributeReader): number | undefined {
  // Of a call that is no stream, OpenLIT tells the whole duration.
  if (attributes.get("gen_ai.request.is_stream") === false || attributes.get("gen_ai.request.stream") === false) {
    return undefined;
  }
  const seconds = read.value(
    "gen_ai.response.time_to_first_chunk",
    "gen_ai.response.time_to_first_token",
    "gen_ai.server.time_to_first_token",
    "gen_ai.client.operation.time_to_first_chunk",
  );
  const milliseconds = read.value("ai.response.msToFirstChunk", "ai.stream.msToFirstChunk");
  const moment = read.value("langfuse.observation.completion_start_time");
  const event = events.find(({ name }) => FIRST_TOKEN_EVENTS.has(name));
  const told = [
    toNumber(seconds) * 1_000,
    toNumber(milliseconds),
    toNumber(attributes.get("gen_ai.server.time_to_first_token")),
    typeof moment === "string" ? Date.parse(moment) - Number(startNanos) / 1e6 : Number.NaN,
    event === undefined ? Number.NaN : Number(event.nanos - startNanos) / 1e6,
  ];
  // Some round to milliseconds.
  const longest =
    endNanos === 0n ? MAX_TIME_TO_FIRST_TOKEN_MS : Math.min(Number(endNanos - startNanos) / 1e6 + 1, MAX_TIME_TO_FIRST_TOKEN_MS);
  return told.find((time) => time >= 0 && time <= longest);
}

function toNumber(value: OtlpValue | undefined): number {
  return typeof value === "number" || (typeof value === "string" && value.trim() !== "") ? Number(value) : Number.NaN;
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
