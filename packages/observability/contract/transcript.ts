import { z } from "zod";
import { observationKindSchema, observationStatusSchema, timestamp } from "./parts.ts";

/** The transcript of a trace: what was said to models, what they said, and what tools gave back. */

export const transcriptRequestSchema = z.object({
  cursor: z.string().max(500).optional(),
  /** Steps, not messages: one step may have said several. */
  limit: z.coerce.number().int().min(1).max(50).default(20),
});

/**
 * `text` and `reasoning` are words; of a `tool_call` the text is its arguments and of a `tool_result` what came back, as JSON where it is no
 * text; of `media` (an image, a sound, a file) it is where it lies, or empty where it was in the message itself; `other` is JSON of what is
 * not known.
 */
export const transcriptPartSchema = z.object({
  type: z.enum(["text", "reasoning", "tool_call", "tool_result", "media", "other"]),
  text: z.string(),
  /** The length of the whole; a shorter text was cut, except with media. */
  characters: z.int(),
  /** The tool's; of media the file's. */
  name: z.string().nullable(),
  call_id: z.string().nullable(),
  /** A tool that said it failed. */
  is_error: z.boolean(),
  /** The type of media: `image/png`, or `image` alone. */
  media_type: z.string().nullable(),
});
export type TranscriptPart = z.infer<typeof transcriptPartSchema>;

export const transcriptMessageSchema = z.object({
  /** What went into the step, or came out of it. */
  side: z.enum(["input", "output"]),
  role: z.enum(["system", "user", "assistant", "tool", "other"]),
  /** The speaker, where the message names one. */
  name: z.string().nullable(),
  parts: z.array(transcriptPartSchema),
});
export type TranscriptMessage = z.infer<typeof transcriptMessageSchema>;

export const transcriptEntrySchema = z.object({
  observation_id: z.uuid(),
  /** `llm`, or `tool`. */
  kind: observationKindSchema,
  name: z.string(),
  model: z.string().nullable(),
  status: observationStatusSchema,
  started_at: timestamp,
  duration_ms: z.number().nullable(),
  input_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  error: z.string().nullable(),
  /** Messages that went in and stand further up already: the history that each call repeats. */
  repeated: z.int(),
  /** What is new: first what went in, then what came out. */
  messages: z.array(transcriptMessageSchema),
  /** Messages and parts of messages that an answer of bounded length has no room for. */
  left_out: z.int(),
});
export type TranscriptEntry = z.infer<typeof transcriptEntrySchema>;

export const transcriptPageSchema = z.object({ items: z.array(transcriptEntrySchema), next_cursor: z.string().nullable() });
export type TranscriptPage = z.infer<typeof transcriptPageSchema>;
