import { z } from "zod";
import { jsonObjectSchema, nulRefused, WITHOUT_NUL } from "./parts.ts";
import { fillPlaceholders } from "./judges.ts";
import { modelName } from "./models.ts";

/** A model call that somebody tries. Messages are in the words of the AI SDK, so that they are passed on as they are. */

export const MAX_VARIANTS = 4;
const MAX_MESSAGES = 500;
const MAX_TOOLS = 128;

const text = z.object({ type: z.literal("text"), text: z.string() });
/** Base64 alone: an address would be fetched from here. */
const image = z.object({ type: z.literal("image"), image: z.base64().min(4), mediaType: z.string().regex(/^image\/[\w.+-]+$/) });
const call = { toolCallId: z.string(), toolName: z.string() };
const toolCall = z.object({ type: z.literal("tool-call"), ...call, input: z.unknown() });
const toolResult = z.object({ type: z.literal("tool-result"), ...call, output: z.object({ type: z.literal("text"), value: z.string() }) });
const messageSchema = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: z.string() }),
  z.object({ role: z.literal("user"), content: z.array(z.discriminatedUnion("type", [text, image])) }),
  z.object({ role: z.literal("assistant"), content: z.array(z.discriminatedUnion("type", [text, toolCall])) }),
  z.object({ role: z.literal("tool"), content: z.array(toolResult) }),
]);
export type PlaygroundMessage = z.infer<typeof messageSchema>;

const messagesSchema = z.array(messageSchema).min(1, "give it a message").max(MAX_MESSAGES);

/**
 * Puts values in the place of `{{name}}` wherever it stands in messages; a name without a value stays as it is.
 *
 * @throws {RangeError} when more than `most` characters would be put in.
 */
export function fillMessages(
  messages: readonly PlaygroundMessage[],
  values: Readonly<Record<string, string>>,
  most = Infinity,
): PlaygroundMessage[] {
  let left = most;
  const fill = (words: string) =>
    fillPlaceholders(words, (name) => {
      const value = Object.hasOwn(values, name) ? (values[name] ?? "") : `{{${name}}}`;
      left -= value.length;
      if (left < 0) {
        throw new RangeError("too much is put in");
      }
      return value;
    });
  return messagesSchema.parse(
    JSON.parse(JSON.stringify(messages), (_key, value: unknown) => (typeof value === "string" ? fill(value) : value)),
  );
}

export const playgroundToolSchema = z.object({
  name: z.string().min(1),
  description: z.string().default(""),
  parameters: jsonObjectSchema,
});

export const playgroundRequestSchema = z.object({
  connection_id: z.uuid(),
  model: modelName,
  messages: messagesSchema,
  tools: z.array(playgroundToolSchema).max(MAX_TOOLS).default([]),
  /** Null: as the model has it. */
  temperature: z.number().min(0).max(2).nullable().default(null),
  max_tokens: z.int().min(1).max(16_000).default(1_000),
});
export type PlaygroundRequest = z.output<typeof playgroundRequestSchema>;

/** The data of a server-sent event: a part of the answer as it comes, and at last what became of the call. */
export const playgroundEventSchema = z.discriminatedUnion("type", [
  text,
  toolCall,
  z.object({
    type: z.literal("end"),
    /** A sentence for people: the fault, and what to do. */
    problem: z.string().nullable(),
    /** The trace of the call; null where the event stream did not take it. */
    trace_id: z.uuid().nullable(),
    duration_ms: z.number(),
    tokens: z.int().nullable(),
    /** Dollars; null without a price. */
    cost: z.number().nullable(),
  }),
]);
export type PlaygroundEvent = z.infer<typeof playgroundEventSchema>;

/** Items that one request asks a model of, with each of its variants. */
export const MAX_PLAYED_ITEMS = 1_000;

/** Each variant becomes an experiment. */
export const playDatasetRequestSchema = z.object({
  dataset_id: z.uuid(),
  split: z.string().max(200).regex(WITHOUT_NUL, nulRefused).nullable().default(null),
  name: z.string().trim().min(1, "give it a name").max(150).regex(WITHOUT_NUL, nulRefused),
  variants: z
    .array(
      playgroundRequestSchema.extend({
        /** The version that the messages are of, as `name@version`. */
        prompt: z.string().max(250).regex(WITHOUT_NUL, nulRefused).nullable().default(null),
      }),
    )
    .min(1)
    .max(MAX_VARIANTS),
  /** Says what it would take, and begins nothing. */
  is_estimate: z.boolean().default(false),
});
export type PlayDatasetRequest = z.input<typeof playDatasetRequestSchema>;
export const playedDatasetSchema = z.object({
  calls: z.int(),
  /** Dollars; null where a model has no price. */
  about: z.number().nullable(),
  /** By variant; none of an estimate. */
  experiment_ids: z.array(z.uuid()),
});
