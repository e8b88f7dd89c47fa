import { z } from "zod";

export const timestamp = z.iso.datetime();

/** PostgreSQL's text can't hold a NUL. */
export const WITHOUT_NUL = /^[^\0]*$/;
export const nulRefused = "a NUL character can't be in a name";

export const listRequestSchema = z.object({
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const observationKindSchema = z.enum(["graph", "node", "tool", "llm", "retriever", "span"]);
export type ObservationKind = z.infer<typeof observationKindSchema>;

export const observationStatusSchema = z.enum(["running", "success", "failure", "interrupted", "abandoned"]);
export type ObservationStatus = z.infer<typeof observationStatusSchema>;

/** Tokens of model calls; null where the provider reported none. */
export const usageSchema = z.object({
  /** Including tokens read from and written to the provider's cache. */
  input_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  /** US dollars by the project's prices; null when no model in it has a price. */
  cost: z.number().nullable(),
});

/** The code that ran, as its producer names it. */
export const codePlaceSchema = z.object({
  repo: z.string().optional(),
  commit: z.string().optional(),
  file: z.string(),
  line: z.int(),
  function: z.string().optional(),
});

/** Bounds of the stack of a failure; both SDKs and the OTLP intake keep them. */
export const MAX_STACK_FRAMES = 50;
export const MAX_STACK_ERRORS = 30;
export const MAX_STACK_LENGTH = 16_384;

const stackFrameSchema = z.object({
  /** The path inside the repository where it lies in it, else as it was. */
  file: z.string().max(4096),
  line: z.int().min(1).optional(),
  function: z.string().max(500).optional(),
  /** It is the application's own code, and no library's. */
  own: z.boolean().optional(),
});
export type StackFrame = z.infer<typeof stackFrameSchema>;

const stackErrorSchema = z.object({
  /** How it belongs to another one: a `context` was being handled when that arose. Of the failure itself there is none. */
  relation: z.enum(["cause", "context", "member"]).optional(),
  /** The place of that other one in the list; it comes before. */
  of: z.int().min(0).optional(),
  /** Of the failure itself the step's `error` says both. */
  type: z.string().max(500).optional(),
  message: z.string().max(2000).optional(),
  /** The newest call first. */
  frames: z.array(stackFrameSchema).max(MAX_STACK_FRAMES),
  /** How many older calls were left out. */
  omitted: z.int().min(1).optional(),
});
export type StackError = z.infer<typeof stackErrorSchema>;

/** From where a failure came: its calls, and those of the errors behind it, without the values that they were called with. */
export const stackTraceSchema = z.object({
  /** The repository, and the commit, that paths of own frames are of. */
  repo: z.string().max(200).optional(),
  commit: z.string().max(64).optional(),
  /** The failure itself is the first. */
  errors: z.array(stackErrorSchema).max(MAX_STACK_ERRORS),
  /** How many of the errors behind it were left out. */
  omitted: z.int().min(1).optional(),
  /** Of a form in which no frames could be found. */
  text: z.string().max(MAX_STACK_LENGTH).optional(),
});
export type StackTrace = z.infer<typeof stackTraceSchema>;

export const nameFilter = z.string().max(500).regex(WITHOUT_NUL, nulRefused).optional();

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = Record<string, Json>;

/** Deeper than what people write, and shallower than what would end a process that walks it. */
const MAX_DEPTH = 200;

/** Any JSON value; told by OpenAPI as any, since a schema that is part of itself can't be told there. */
export const jsonValueSchema: z.ZodType<Json, Json> = z
  .any()
  .refine((value) => value !== undefined, "is missing: send null for nothing")
  .refine((value) => isWithin(value, MAX_DEPTH), `is nested more than ${MAX_DEPTH} deep`);

export const jsonObjectSchema = z.record(z.string().max(1_000), jsonValueSchema);

function isWithin(value: unknown, depth: number): boolean {
  return typeof value !== "object" || value === null || (depth > 0 && Object.values(value).every((part) => isWithin(part, depth - 1)));
}
