import { z } from "zod";
import { traceSummarySchema } from "./explore.ts";
import { codePlaceSchema, observationKindSchema, observationStatusSchema, stackTraceSchema, timestamp } from "./parts.ts";
import { callNumberSchemas, traceNumberSchemas } from "#step-numbers.ts";
import { mapLabels } from "#trace-labels.ts";

/**
 * One trace, of any size. No answer is over 5 MB. Below `/api/v1/projects/:project_id/traces/:trace_id`:
 *
 * - `GET …/summary` → {@link traceDigestSchema}: everything but its steps.
 * - `GET …/steps?cursor=&limit=&after_revision=` → {@link stepPageSchema}: its steps without what they took in and gave back.
 * - `GET …/observations/:observation_id` → {@link observationSchema}: one step whole.
 * - `GET …/payloads/:payload_id?part=&from=&length=` → {@link payloadRangeSchema}: a range of a value that is too long for the others.
 * - `GET …` itself → {@link traceSchema}: all of it, cut at 4 MB.
 */

/** A trace's own id, or the one that OpenTelemetry gave it: 32 hexadecimal digits, which every log line has that is written under a span. */
export const TRACE_ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
export const anyTraceIdSchema = z.string().regex(TRACE_ID, "is neither a UUID nor 32 hexadecimal digits");

/** The project in which `GET /api/v1/traces/:trace_id/place` found a trace. */
export const tracePlaceSchema = z.object({ project_id: z.uuid(), trace_id: z.uuid() });
export type TracePlace = z.infer<typeof tracePlaceSchema>;

export const observationSchema = z.object({
  id: z.uuid(),
  parent_id: z.uuid().nullable(),
  kind: observationKindSchema,
  name: z.string(),
  status: observationStatusSchema,
  started_at: timestamp,
  ended_at: timestamp.nullable(),
  duration_ms: traceNumberSchemas.duration_ms,
  /** Order of its start among the events of its producer. */
  seq: z.int(),
  model: z.string().nullable(),
  /** The prompt that a model call was made with, as `name@version`. */
  prompt: z.string().nullable(),
  ...callNumberSchemas,
  cost: traceNumberSchemas.cost,
  error: z.string().nullable(),
  /** The code that ran, when the producer knows it. */
  code: codePlaceSchema.nullable(),
  /**
   * As the application sent it. What is too long is a {@link truncatedValueSchema}; a part that was sent once and has not arrived, or
   * is kept no longer, `{"$blob": "<sha256>", "missing": true}`.
   */
  input: z.unknown(),
  output: z.unknown(),
  /** Text a model gave as its reasoning. */
  reasoning: z.string().nullable(),
  attributes: z.record(z.string(), z.unknown()),
  /** From where its failure came, as far as the producer told. */
  stack: stackTraceSchema.nullable(),
});
export type Observation = z.infer<typeof observationSchema>;

/** A graph as it was built. Nodes of a graph inside a node are called `node:inner`. */
export const declaredGraphSchema = z.object({
  nodes: z.array(z.string()),
  edges: z.array(z.object({ from: z.string(), to: z.string(), conditional: z.boolean() })),
});
export type DeclaredGraph = z.infer<typeof declaredGraphSchema>;

/** An edge that was taken, and how often. */
export const takenEdgeSchema = z.object({
  /** Null when what led there did not arrive, or was no step of the graph. */
  from: z.string().nullable(),
  to: z.string(),
  via: z.enum(["static", "conditional", "goto", "send", "join", "error", "unknown"]),
  count: z.int(),
});
export type TakenEdge = z.infer<typeof takenEdgeSchema>;

export const traceSchema = traceSummarySchema.extend({
  project_id: z.uuid(),
  ...mapLabels(() => z.string().nullable()),
  /** Tags that the application sent, and those that people added, by their letters; 150 at the most. */
  tags: z.array(z.string()),
  /** Those of them that people added, and may take away. */
  added_tags: z.array(z.string()),
  /** Whether there is more than this answer holds: steps are missing at its end, or inputs and outputs. */
  truncated: z.boolean(),
  input: z.unknown(),
  output: z.unknown(),
  error: z.string().nullable(),
  /** With what the application noted of it in `metadata`, and what an OpenTelemetry exporter says of its process in `otel.resource`. */
  attributes: z.record(z.string(), z.unknown()),
  /** The segments it consists of; more than one when an interrupted trace was resumed. */
  segments: z.array(z.object({ id: z.uuid(), status: observationStatusSchema, started_at: timestamp, ended_at: timestamp.nullable() })),
  /** Null when no graph ran. */
  graph: z
    .object({
      declared: declaredGraphSchema.nullable(),
      taken: z.array(takenEdgeSchema),
      /** It is larger than an answer holds, and not all of it is here. */
      truncated: z.boolean().optional(),
    })
    .nullable(),
  /** Steps in the order of their start; parents come before their children. */
  observation_list: z.array(observationSchema.omit({ stack: true })),
});
export type Trace = z.infer<typeof traceSchema>;

/** A value that is too long: its beginning, and where `GET …/payloads/:payload_id?part=` has all of it. */
export const truncatedValueSchema = z.object({
  truncated: z.literal(true),
  characters: z.int(),
  preview: z.string(),
  payload_id: z.uuid(),
  part: z.enum(["value", "attributes", "parameters", "result"]),
});
export type TruncatedValue = z.infer<typeof truncatedValueSchema>;

/** A producer's events that were lost and may belong to the trace. */
export const traceGapSchema = z.object({
  producer_id: z.uuid(),
  first_seq: z.int(),
  last_seq: z.int(),
  events: z.int(),
  found_at: timestamp,
});
export type TraceGap = z.infer<typeof traceGapSchema>;

/** A trace without its steps. */
export const traceDigestSchema = traceSchema.omit({ observation_list: true }).extend({
  /** Of the trace's own error; that of a step is with the step. */
  stack: stackTraceSchema.nullable(),
  steps_total: z.int(),
  /** Changes when anything of the trace does. */
  revision: z.string(),
  /** When it waited: from an interrupt to its resume. `waiting_ms` is their sum. */
  waits: z.array(z.object({ from: timestamp, to: timestamp })),
  /** The first 100 of them; `lost_events` counts all. */
  gaps: z.array(traceGapSchema),
  /** The innermost nodes that run now, as the graph names them (`outer:inner`); 100 at the most. */
  current: z.array(z.string()),
});
export type TraceDigest = z.infer<typeof traceDigestSchema>;

/** A step of a trace, without what it took in and gave back. */
export const stepSchema = observationSchema.omit({ input: true, output: true, reasoning: true, attributes: true, stack: true }).extend({
  /** 300 characters of it; the observation has all. */
  error: z.string().nullable(),
  /** The node it ran as, as the trace's graph names it (`outer:inner`); null when it is no node. */
  graph_node: z.string().nullable(),
  /** The number of the graph's step that it ran in, counted by the graph. */
  graph_step: z.int().nullable(),
  /** The segment it belongs to: one of `segments`. */
  run_id: z.uuid(),
  /** It runs longer than 99 of 100 of the same name did in the last seven days, and more than a second. */
  is_stalled: z.boolean(),
  /**
   * How far it lies outside of its parent, which is impossible unless clocks differ. Negative when it began before its
   * parent, positive when it ended after it; null when it does neither, or by less than the precision of times.
   */
  clock_skew_ms: z.number().nullable(),
});
export type Step = z.infer<typeof stepSchema>;

export const listStepsRequestSchema = z.object({
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(5_000).default(1_000),
  /** The revision of an earlier answer: only steps that may have changed since are sent. */
  after_revision: z.string().max(4_000).optional(),
});

/**
 * Parents come before their children, siblings in the order of their start. A step whose `parent_id` is of no step before it stands at the
 * top: its parent did not arrive, or its parents lead in a circle. A page may be shorter than its limit; only without `next_cursor` it is
 * the last one.
 */
export const stepPageSchema = z.object({
  items: z.array(stepSchema),
  /** Steps of the whole trace. */
  total: z.int(),
  next_cursor: z.string().nullable(),
  /** What `after_revision` wants to be told what changed since. Of several pages the first one's counts. */
  revision: z.string(),
  /** The trace has more steps than are listed: those that began first are. */
  truncated: z.boolean(),
});
export type StepPage = z.infer<typeof stepPageSchema>;

export const payloadRangeRequestSchema = z.object({
  part: truncatedValueSchema.shape.part.default("value"),
  /** Unicode characters (code points), not UTF-16 units: no range splits one. */
  from: z.coerce.number().int().min(0).max(1e9).default(0),
  length: z.coerce.number().int().min(1).max(1_048_576).default(65_536),
});

/** A range of the value as JSON text; all ranges joined are the whole, with contents in the places of references. */
export const payloadRangeSchema = z.object({
  text: z.string(),
  /** The length of the whole text. */
  characters: z.int(),
  from: z.int(),
  /** Where the next range begins; null at the end. */
  next_from: z.int().nullable(),
});
export type PayloadRange = z.infer<typeof payloadRangeSchema>;

/**
 * `GET /api/v1/projects/:project_id/live?trace_id=`: server-sent events. They say that something changed, never what: ask the list, or
 * `…/steps?after_revision=`, again.
 *
 * - `event: ready` at the start: what changed before it may have been missed, so ask now. `data` is `{}`.
 * - `event: traces`, {@link liveTracesSchema}, five times a second at the most.
 * - `event: refused`, an error's body (`{error, message}`), and the stream ends: the token expired, the project is not yours any more.
 * - a comment every 15 seconds.
 *
 * A stream may end at any time, as when a replica stops; come back and ask on `ready`. It has no ids.
 */
export const liveRequestSchema = z.object({
  /** The id of any part of a trace: only its changes are sent then. */
  trace_id: z.uuid().optional(),
});

export const liveTracesSchema = z.object({
  /** Traces that changed, or parts of them. Of a stream of one trace, that trace's id as it was asked for. */
  trace_ids: z.array(z.uuid()),
  /** Others changed that are not named: too many, or the replica knows only that something did. */
  truncated: z.boolean(),
  /** Counts the events of this stream. */
  revision: z.int(),
});
export type LiveTraces = z.infer<typeof liveTracesSchema>;

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
