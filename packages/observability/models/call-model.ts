import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, NoObjectGeneratedError, Output, type LanguageModel, type LanguageModelUsage } from "ai";
import { PROVIDER_URLS } from "#contract.ts";
import { toSentSchema, type ModelAnswer, type ModelCall, type ModelUsage } from "./ask-model.ts";
import { describeFailure, type ModelFailure } from "./describe-failure.ts";
import type { OpenModel } from "./model-access.ts";

// It would write to the console what a model does not support.
globalThis.AI_SDK_LOG_WARNINGS = false;

const UNSTRUCTURED: ModelFailure = {
  problem:
    "It answered, but not with the structured output that was asked for: the model, or its server, may support none, or max_tokens are too few.",
  isRetryable: true,
  isFree: false,
};

/** To be asked by way of `askModel`. */
export async function callModel<Value>(call: ModelCall<Value>): Promise<ModelAnswer<Value>> {
  try {
    const { output, text, usage } = await generateText({
      model: toModel(call.open()),
      instructions: call.system,
      prompt: call.prompt,
      output: Output.object({ schema: jsonSchema(toSentSchema(call.schema)) }),
      ...(call.temperature === null ? {} : { temperature: call.temperature }),
      maxOutputTokens: call.maxTokens,
      // Whoever calls tries again: each try has a budget of its own.
      maxRetries: 0,
      abortSignal: call.signal,
    });
    const read = call.schema.safeParse(output);
    return { usage: readUsage(usage), text, ...(read.success ? { value: read.data } : { failure: UNSTRUCTURED }) };
  } catch (error) {
    if (NoObjectGeneratedError.isInstance(error)) {
      return { usage: error.usage && readUsage(error.usage), text: error.text, failure: UNSTRUCTURED };
    }
    return { usage: undefined, text: undefined, failure: describeFailure(error, call.now().getTime()) };
  }
}

export function readUsage({
  inputTokens,
  outputTokens,
  inputTokenDetails,
  outputTokenDetails,
}: LanguageModelUsage): ModelUsage | undefined {
  return inputTokens === undefined || outputTokens === undefined
    ? undefined
    : {
        input: toCount(inputTokens),
        output: toCount(outputTokens),
        cacheRead: toCount(inputTokenDetails.cacheReadTokens),
        cacheWrite: toCount(inputTokenDetails.cacheWriteTokens),
        reasoning: toCount(outputTokenDetails.reasoningTokens),
      };
}

/** A server that counts less than nothing would give money back. */
const toCount = (tokens = 0) => Math.min(Math.max(Math.ceil(tokens), 0), 1e9);

export function toModel({ provider, baseURL, key, model, fetch }: OpenModel): LanguageModel {
  if (provider === "anthropic") {
    // Without a key of its own the library would take the process'.
    return createAnthropic({ baseURL, apiKey: key ?? "none", fetch })(model);
  }
  return createOpenAICompatible({
    name: "model",
    baseURL,
    supportsStructuredOutputs: true,
    includeUsage: true,
    fetch,
    ...(key === undefined ? {} : { apiKey: key }),
    // OpenAI's own newer models refuse what all others take.
    ...(baseURL === PROVIDER_URLS[provider]
      ? { transformRequestBody: ({ max_tokens: most, ...body }) => ({ ...body, max_completion_tokens: most }) }
      : {}),
  })(model);
}
