import { reasoningText } from "../capture/chat-message.ts";
import type { Usage } from "../event/event.ts";

type Values = Readonly<Record<string, unknown>>;

export type ModelResult = {
  readonly model: string | undefined;
  readonly usage: Usage | undefined;
  readonly reasoning: string | undefined;
  readonly response: unknown;
};

/** The model's name before it answers: what LangChain's metadata says, else the request's parameters. */
export function requestedModel(metadata: unknown, extraParameters: unknown): string | undefined {
  const parameters = values(values(extraParameters)["invocation_params"]);
  return firstText(values(metadata)["ls_model_name"], parameters["model"], parameters["model_name"], parameters["modelName"]);
}

/** Reads an LLMResult: name, tokens and reasoning lie where the provider's package put them. */
export function readModelResult(result: unknown): ModelResult {
  const output = values(values(result)["llmOutput"]);
  const generations = list(values(result)["generations"]).flatMap(list).map(values);
  const messages = generations.flatMap((generation) => (generation["message"] === undefined ? [] : [generation["message"]]));
  const first = values(messages[0]);
  const response = values(first["response_metadata"]);
  const reasoning = messages.flatMap((message) => reasoningText(message) ?? []).join("\n");
  return {
    model: firstText(response["model_name"], response["model"], output["model_name"], output["model"]),
    usage: readUsage(first["usage_metadata"], response["usage"] ?? response["tokenUsage"] ?? output["tokenUsage"]),
    reasoning: reasoning === "" ? undefined : reasoning,
    response: messages.length > 0 ? messages : generations.map((generation) => generation["text"]),
  };
}

/** LangChain's input tokens contain the cached ones, as the event schema wants it. */
function readUsage(metadata: unknown, raw: unknown): Usage | undefined {
  const counted = values(metadata);
  const provider = values(raw);
  const input = values(counted["input_token_details"]);
  const output = values(counted["output_token_details"]);
  const usage = {
    input_tokens: firstCount(counted["input_tokens"], provider["promptTokens"], provider["prompt_tokens"], provider["input_tokens"]),
    output_tokens: firstCount(
      counted["output_tokens"],
      provider["completionTokens"],
      provider["completion_tokens"],
      provider["output_tokens"],
    ),
    cache_read_tokens: firstCount(input["cache_read"]),
    cache_write_tokens: firstCount(input["cache_creation"]),
    reasoning_tokens: firstCount(output["reasoning"]),
  };
  const known = Object.entries(usage).filter(([, count]) => count !== undefined);
  const original = Object.keys(provider).length > 0 ? provider : counted;
  return known.length === 0 ? undefined : { ...Object.fromEntries(known), raw: original };
}

function firstText(...candidates: readonly unknown[]): string | undefined {
  return candidates.find((candidate): candidate is string => typeof candidate === "string" && candidate !== "");
}

function firstCount(...candidates: readonly unknown[]): number | undefined {
  return candidates.find((candidate): candidate is number => Number.isSafeInteger(candidate) && Number(candidate) >= 0);
}

function values(value: unknown): Values {
  return typeof value === "object" && value !== null ? (value as Values) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
