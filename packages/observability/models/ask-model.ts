import type { JSONSchema7 } from "ai";
import { z } from "zod";
import type { ModelFailure } from "./describe-failure.ts";
import type { OpenModel } from "./model-access.ts";

export type ModelCall<Value> = {
  /** Opened by the call, since its key may not open. */
  readonly open: () => OpenModel;
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

/** Keywords that some providers refuse a schema for: answers are checked by them here. */
const CHECKED_HERE = ["$schema", "minimum", "maximum", "maxLength"];

/** The schema as it is sent. */
export function toSentSchema(schema: z.ZodType): JSONSchema7 {
  return z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema: part }) => CHECKED_HERE.forEach((name) => Reflect.deleteProperty(part, name)),
  }) as JSONSchema7;
}

/**
 * Asks a model once, for an answer of a shape, without any tools; never throws for what the model or its server does. What speaks with models is loaded
 * by the first who asks one: it takes 30 MB, and most processes never do.
 */
export async function askModel<Value>(call: ModelCall<Value>): Promise<ModelAnswer<Value>> {
  const { callModel } = await import("./call-model.ts");
  return callModel(call);
}
