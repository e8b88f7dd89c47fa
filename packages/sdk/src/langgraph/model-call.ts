import { reasoningText } from "../capture/chat-message.ts";
import { asCount, asList, asObject, asText, usageOfCounts } from "../capture/loose-values.ts";
import type { Usage } from "../event/event.ts";

/** The model's name before it answers: what LangChain's metadata says, else the request's parameters. */
export function requestedModel(metadata: unknown, extraParameters: unknown): string | undefined {
  const parameters = asObject(asObject(extraParameters)["invocation_params"]);
  return (
    asText(asObject(metadata)["ls_model_name"]) ??
    asText(parameters["model"]) ??
    asText(parameters["model_name"]) ??
    asText(parameters["modelName"])
  );
}

/** Reads an LLMResult: name, tokens and reasoning lie where the provider's package put them. */
export function readModelResult(result: unknown) {
  const output = asObject(asObject(result)["llmOutput"]);
  const generations = asList(asObject(result)["generations"]).flatMap(asList).map(asObject);
  const messages = generations.flatMap((generation) => (generation["message"] === undefined ? [] : [generation["message"]]));
  const first = asObject(messages[0]);
  const response = asObject(first["response_metadata"]);
  const reasoning = messages.flatMap((message) => reasoningText(message) ?? []).join("\n");
  return {
    model: asText(response["model_name"]) ?? asText(response["model"]) ?? asText(output["model_name"]) ?? asText(output["model"]),
    usage: readUsage(first["usage_metadata"], response["usage"] ?? response["tokenUsage"] ?? output["tokenUsage"]),
    reasoning: reasoning === "" ? undefined : reasoning,
    response: messages.length > 0 ? messages : generations.map((generation) => generation["text"]),
  };
}

/** Whether a chunk of a stream holds a piece of the answer: text, reasoning or a tool call. The first and the last often hold none. */
export function hasStreamedContent(token: unknown, fields: unknown): boolean {
  const message = asObject(asObject(asObject(fields)["chunk"])["message"]);
  return asText(token) !== undefined || asList(message["tool_call_chunks"]).length > 0 || reasoningText(message) !== undefined;
}

/** The same for an event of LangChain's newer kind of stream. */
export function isStreamedContent(event: unknown): boolean {
  const { text, reasoning, args, data, fields } = asObject(asObject(event)["delta"]);
  return fields !== undefined || [text, reasoning, args, data].some((piece) => asText(piece) !== undefined);
}

/** LangChain's input tokens contain the cached ones, as the event schema wants it. */
function readUsage(metadata: unknown, raw: unknown): Usage | undefined {
  const counted = asObject(metadata);
  const provider = asObject(raw);
  const input = asObject(counted["input_token_details"]);
  const output = asObject(counted["output_token_details"]);
  return usageOfCounts(
    {
      input_tokens:
        asCount(counted["input_tokens"]) ??
        asCount(provider["promptTokens"]) ??
        asCount(provider["prompt_tokens"]) ??
        asCount(provider["input_tokens"]),
      output_tokens:
        asCount(counted["output_tokens"]) ??
        asCount(provider["completionTokens"]) ??
        asCount(provider["completion_tokens"]) ??
        asCount(provider["output_tokens"]),
      cache_read_tokens: asCount(input["cache_read"]),
      cache_write_tokens: asCount(input["cache_creation"]),
      reasoning_tokens: asCount(output["reasoning"]),
    },
    Object.keys(provider).length > 0 ? provider : counted,
  );
}
