import { z } from "zod";
import { observationSchema, traceSchema } from "./trace.ts";
import { codePlaceSchema, timestamp } from "./parts.ts";

/** Links that show one trace to whoever has them, without a login. */

export const MAX_SHARE_HOURS = 30 * 24;
export const MAX_SHARE_LINKS = 200;

/** `content`: what went in and out, and what errors say. `state`: what graphs and their nodes took in and gave back. `code`: file and line. */
export const SHARED_PARTS = ["content", "state", "code"] as const;
const shows = z.array(z.enum(SHARED_PARTS)).max(SHARED_PARTS.length);

const hours = z.int().min(1).max(MAX_SHARE_HOURS, "a link is valid for 30 days at most");
export const createShareLinkRequestSchema = z.object({ hours: hours.default(7 * 24), shows: shows.default(["content"]) });
export type CreateShareLinkRequest = z.output<typeof createShareLinkRequestSchema>;

export const shareLinkSchema = z.object({
  id: z.uuid(),
  trace_id: z.uuid(),
  shows,
  created_by: z.string(),
  created_at: timestamp,
  expires_at: timestamp,
});
export type ShareLink = z.infer<typeof shareLinkSchema>;
export const shareLinkListSchema = z.object({ items: z.array(shareLinkSchema), next_cursor: z.null() });
/** The only answer with the link itself: `/shared/<token>` of the console. */
export const createdShareLinkSchema = shareLinkSchema.extend({ url: z.string() });

export const openSharedRequestSchema = z.object({ token: z.string().max(100) });

const figures = { status: true, started_at: true, duration_ms: true, cost: true, input_tokens: true, output_tokens: true } as const;
const part = { ...figures, name: true, input: true, output: true, error: true } as const;
const sharedStepSchema = observationSchema.pick({ ...part, kind: true, model: true, reasoning: true }).extend({
  /** How many steps are around it. */
  depth: z.int(),
  code: codePlaceSchema.omit({ repo: true, commit: true }).nullable(),
});
export type SharedStep = z.infer<typeof sharedStepSchema>;
/** What a link shows: no id, nothing of the project, nobody's name. */
export const sharedTraceSchema = traceSchema
  .pick({ ...part, truncated: true })
  .extend({ expires_at: timestamp, shows, steps: z.array(sharedStepSchema) });
export type SharedTrace = z.infer<typeof sharedTraceSchema>;
