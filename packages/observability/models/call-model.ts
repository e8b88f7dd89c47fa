import {
  generateText,
  jsonSchema,
  NoObjectGeneratedError,
  Output,
  type JSONSchema7,
  type LanguageModel,
  type LanguageModelUsage,
} from "ai";
import { z } from "zod";
import { describeFailure, type ModelFailure } from "./describe-failure.ts";

export type ModelCall<Value> = {
  /** Opened by the call, since its key may not open. */
  readonly open: () => LanguageModel;
  readonly system: string;
  readonly prompt: string;
  /** What the answer has to be; what the server does not hold to is refused here. */
  readonly schema: z.ZodType<Value>;
  readonly temperature: number | null;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  readonly now: () => Date;
};

/** Tokens; undefined where the server says nothing of them. */
export type ModelUsage = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
};

export type ModelAnswer<Value> = { readonly usage: ModelUsage | undefined; readonly text: string | undefined } & (
  | { readonly value: Value }
  | { readonly failure: ModelFailure }
);

const UNSTRUCTURED: ModelFailure = {
  problem:
    "It answered, but not with the structured output that was asked for: the model, or its server, may support none, or max_tokens are too few.",
  isRetryable: true,
  isFree: false,
};

/** Keywords that some providers refuse a schema for: answers are checked by them here. */
const CHECKED_HERE = ["$schema", "minimum", "maximum", "maxLength"];

/** The schema as it is sent. */
export function toSentSchema(schema: z.ZodType): JSONSchema7 {
  return z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema: part }) => CHECKED_HERE.forEach((name) => Reflect.deleteProperty(part, name)),
  }) as JSONSchema7;
}

/** Asks a model once, for an answer of a shape, without any tools; never throws for what the model or its server does. */
export async function callModel<Value>(call: ModelCall<Value>): Promise<ModelAnswer<Value>> {
  try {
    const { output, text, usage } = await generateText({
      model: call.open(),
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

function readUsage({ inputTokens, outputTokens, inputTokenDetails, outputTokenDetails }: LanguageModelUsage): ModelUsage | undefined {
  return inputTokens === undefined || outputTokens === undefined
    ? undefined
    : {
        input: inputTokens,
        output: outputTokens,
        cacheRead: inputTokenDetails.cacheReadTokens ?? 0,
        cacheWrite: inputTokenDetails.cacheWriteTokens ?? 0,
        reasoning: outputTokenDetails.reasoningTokens ?? 0,
      };
}
