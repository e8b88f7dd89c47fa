import { z } from "zod";
import { listedTraceSchema, listTracesRequestSchema, traceGroupSchema } from "./explore.ts";
import { nulRefused, observationKindSchema, WITHOUT_NUL } from "./parts.ts";

/** A session as a conversation over its traces, and a user over time. */

/** An id that an application gave. */
const givenId = z.string().min(1).max(500).regex(WITHOUT_NUL, nulRefused);

export const sessionParamsSchema = z.object({ project_id: z.uuid(), session_id: givenId });
export const userParamsSchema = z.object({ project_id: z.uuid(), user_id: givenId });

/** The step in which a trace's failure arose; null when no step failed, and the trace alone says so. */
export const failedStepSchema = z
  .object({
    id: z.uuid(),
    kind: observationKindSchema,
    name: z.string(),
    /** Its first 300 characters. */
    error: z.string().nullable(),
  })
  .nullable();
export type FailedStep = z.infer<typeof failedStepSchema>;

/** In a session with more traces, everything but the sums is read from the newest. */
export const MAX_GROUPED_TRACES = 10_000;

const scoresSchema = listedTraceSchema.shape.scores;

export const sessionSchema = traceGroupSchema.extend({
  /** The users whose traces it has; five at the most. */
  users: z.array(z.string()),
  /** Scores by name, with the mean of the values. */
  scores: scoresSchema,
  /** The first trace that failed; where none did, the first in which a step did; null where nothing failed. */
  first_failure: z.object({ trace: listedTraceSchema, step: failedStepSchema }).nullable(),
});
export type Session = z.infer<typeof sessionSchema>;

export const listTurnsRequestSchema = z.object({
  order: listTracesRequestSchema.shape.order.default("asc"),
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(50).default(20),
});

/** Somebody's words, 8,000 characters at the most. */
const spokenTextSchema = z.object({ text: z.string(), /** The length of the whole text. */ characters: z.int() }).nullable();
export type SpokenText = z.infer<typeof spokenTextSchema>;

/** A trace as a turn of the conversation: what was asked last, and what was answered last; null where that is not recorded. */
export const turnSchema = listedTraceSchema.extend({ asked: spokenTextSchema, answered: spokenTextSchema, failed_step: failedStepSchema });
export type Turn = z.infer<typeof turnSchema>;
export const turnPageSchema = z.object({
  items: z.array(turnSchema),
  next_cursor: z.string().nullable(),
  /** Traces of the last moments are not counted yet, so that the newest turns may be missing. */
  is_counting: z.boolean(),
});

export const userSchema = traceGroupSchema.extend({
  scores: scoresSchema,
  /** The 30 days (UTC) up to the day of the last trace, those without a trace left out. */
  days: z.array(
    z.object({
      day: z.iso.date(),
      ...traceGroupSchema.pick({ traces: true, failures: true, input_tokens: true, output_tokens: true, cost: true }).shape,
    }),
  ),
  /** The last seen first; 100 at the most. What they say is of this user's traces alone. */
  sessions: z.array(traceGroupSchema),
});
export type User = z.infer<typeof userSchema>;
