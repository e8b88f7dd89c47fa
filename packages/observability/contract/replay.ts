import { z } from "zod";

/** How a call ended. Either it gave `output`, or it failed with `error`; a tool of LangChain may tell of its failure by its output, which has an `id`. */
const recordedAnswerSchema = z.object({
  /** Missing where a function of JavaScript returned nothing. */
  output: z.unknown().optional(),
  /** As `Class: message`. */
  error: z.string().nullable(),
  /** The id by which the model asked for a tool that told of its failure in a message. */
  failed_call_id: z.string().nullable(),
  /** What the provider sends, for a client to read: JSON, or server-sent events where `is_stream`. Null of other calls. */
  http: z.object({ status: z.int(), is_stream: z.boolean(), body: z.string() }).nullable(),
});
export type RecordedAnswer = z.infer<typeof recordedAnswerSchema>;

export const recordingRequestSchema = z.object({ from: z.coerce.number().int().min(0).default(0) });

/**
 * What a trace can be replayed by: `GET /api/v1/projects/:project_id/traces/:trace_id/replay?from=`. With `reasons` it can't be; each names the
 * step and what is wrong with it, and the first 100 are given.
 */
export const recordingSchema = z.object({
  trace_id: z.uuid(),
  name: z.string(),
  input: z.unknown(),
  /** JSON pointers of what of `input` is not as it was; a replay then needs an input of its own. */
  input_altered: z.array(z.string()),
  reasons: z.array(z.string()),
  /** In the order of their start, those after the first `from`. */
  calls: z.array(
    z.object({
      /** The names of the nodes around it, then its kind and name: `agent > tool search`. A visit of a node has its name alone. */
      path: z.string(),
      /** Null of a node. */
      input: z.unknown(),
      /** Null where nothing is answered: of nodes, and of tools that run again, as a graph ran in them. */
      answer: recordedAnswerSchema.nullable(),
    }),
  ),
  /** From where the next answer goes on; null in the last one. */
  next_from: z.int().nullable(),
});
export type Recording = z.infer<typeof recordingSchema>;
export type RecordedCall = Recording["calls"][number];
