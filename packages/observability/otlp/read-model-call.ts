import { toNumber } from "@sightline/foundation/exact-json";
import { MAX_COST, MAX_TIME_TO_FIRST_TOKEN_MS, type StreamEvent } from "#events/event.ts";
import type { FactReader } from "#otlp/dialects/fact-reader.ts";
import { MAX_NAME_LENGTH, type OtlpSpan, type OtlpValue } from "#otlp/wire/otlp-span.ts";
import { boundText } from "./bound-value.ts";

/** The fields of a model call's end. */
export type ModelCall = Pick<Extract<StreamEvent, { type: "observation.end" }>["body"], "model" | "usage" | "time_to_first_token_ms">;
type CallSpan = Pick<OtlpSpan, "attributes" | "startNanos" | "endNanos" | "events">;

export function readModelCall(span: CallSpan, read: FactReader): ModelCall {
  const model = read.text("responseModel") ?? read.text("requestModel");
  return {
    model: model === undefined ? undefined : boundText(model, MAX_NAME_LENGTH),
    usage: readUsage(read, /(?:^|\/)gemini\b/i.test(model ?? "")),
    time_to_first_token_ms: readTimeToFirstToken(span, read),
  };
}

/** Some dialects have seconds, some milliseconds, some the moment, as an attribute or as the time of an event. */
function readTimeToFirstToken({ attributes, startNanos, endNanos, events }: CallSpan, read: FactReader): number | undefined {
  // OpenLIT writes the whole duration as the time to first token of a call that is no stream.
  if (attributes.get("gen_ai.request.is_stream") === false || attributes.get("gen_ai.request.stream") === false) {
    return undefined;
  }
  const [seconds, milliseconds, moment] = [
    read.value("firstTokenSeconds"),
    read.value("firstTokenMilliseconds"),
    read.value("firstTokenTime"),
  ];
  const event = events.find(read.isFirstToken);
  const candidates = [
    numberOf(seconds) * 1_000,
    numberOf(milliseconds),
    typeof moment === "string" ? Date.parse(moment) - Number(startNanos) / 1e6 : Number.NaN,
    event === undefined ? Number.NaN : Number(event.nanos - startNanos) / 1e6,
  ];
  // Some round to milliseconds.
  const longest =
    endNanos === 0n ? MAX_TIME_TO_FIRST_TOKEN_MS : Math.min(Number(endNanos - startNanos) / 1e6 + 1, MAX_TIME_TO_FIRST_TOKEN_MS);
  return candidates.find((time) => time >= 0 && time <= longest);
}

function numberOf(given: OtlpValue | undefined): number {
  const value = toNumber(given);
  return typeof value === "number" || (typeof value === "string" && value.trim() !== "") ? Number(value) : Number.NaN;
}

/**
 * Reads the tokens of a model call. Input tokens include cached ones: instrumentations that count them apart report
 * fewer input tokens than cached ones, or say so by the name. Output tokens include those of reasoning, which Gemini counts apart.
 */
function readUsage(read: FactReader, isGemini: boolean): ModelCall["usage"] {
  const uncached = read.count("uncachedInputTokens");
  const input = read.count("inputTokens");
  const cacheRead = read.count("cacheReadTokens");
  const cacheWrite = read.count("cacheWriteTokens");
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const isCountedApart = input !== undefined && (input < cached || (cached > 0 && input === uncached));
  const wholeInput = isCountedApart ? input + cached : input;
  const output = read.count("outputTokens");
  const reasoning = read.count("reasoningTokens");
  const missing = (read.count("totalTokens") ?? 0) - (wholeInput ?? 0) - (output ?? Infinity);
  const thoughts = reasoning ?? (isGemini && missing > 0 ? missing : undefined);
  // There is no more reasoning than output that it is a part of.
  const isApart = thoughts !== undefined && output !== undefined && (thoughts === missing || thoughts > output);
  const cost = numberOf(read.value("cost"));
  const known = Object.entries({
    input_tokens: wholeInput,
    output_tokens: isApart ? output + thoughts : output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    reasoning_tokens: thoughts,
    cost: cost >= 0 && cost <= MAX_COST ? cost : undefined,
  }).filter(([, count]) => count !== undefined);
  const raw = read.fields("usage");
  return known.length === 0 ? undefined : { ...Object.fromEntries(known), raw };
}
