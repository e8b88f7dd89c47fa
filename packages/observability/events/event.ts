import { z } from "zod";
import { SCORE_DATA_TYPES, stackTraceSchema } from "#contract.ts";
import { mapTokens } from "#step-numbers.ts";
import { mapLabels } from "#trace-labels.ts";
import { toTracePurpose, TRACE_PURPOSES } from "#trace-purpose.ts";

/** Version of the event schema, the field `v` of every stream entry. */
export const EVENT_VERSION = 1;

const id = z.uuid();
const timestamp = z.iso.datetime();
/** Payloads arrive bounded and masked by the producer. */
const payload = z.unknown().optional();

/**
 * Texts are read more leniently than the schema has them: keys of databases are numbers, and many languages write null for what is not
 * there. What our SDKs do with such a value is done to other producers' as well.
 */
function text(maximum: number) {
  return z.preprocess(asText, z.string().max(maximum));
}

function optionalText(maximum: number) {
  return z.preprocess(asText, z.string().max(maximum).optional()).optional();
}

function asText(value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : (value ?? undefined);
}

function asList(value: unknown): unknown {
  const single = asText(value);
  return typeof single === "string" ? [single] : single;
}

const codeReference = z.object({
  repo: z.string().max(200).optional(),
  commit: z.string().max(64).optional(),
  file: z.string().max(4096),
  line: z.int().min(1),
  function: z.string().max(500).optional(),
});

/** Of one call, in US dollars. */
export const MAX_COST = 1_000_000;

/** The tokens of a model call: the normalised counts, and the provider's own record unchanged. */
const usage = z.object({
  /** US dollars, where the provider or a library says them. */
  cost: z.number().min(0).max(MAX_COST).optional(),
  ...mapTokens(() => z.int().min(0).optional()),
  raw: z.record(z.string(), z.unknown()).optional(),
});

export const MAX_TIME_TO_FIRST_TOKEN_MS = 31_536_000_000;

const reasoning = z.object({
  text: z.string(),
  truncated: z.boolean(),
  /** Unicode code points before the cut. */
  original_chars: z.int().min(0),
  sha256: z.string().optional(),
});

/** A tool call in the fields of the contract. */
const toolEntry = z.object({
  tool_name: z.string().max(500),
  parameters: z.record(z.string(), z.unknown()),
  result: z.unknown(),
  timestamp,
  status: z.enum(["success", "failure"]),
});

const label = optionalText(500);

/** The prompt that a model call was made with; without a version where only its name is known. */
const promptReference = z.object({
  name: text(200),
  /** A number where the platform keeps the prompt; other tools have words. */
  version: optionalText(100),
});

const graphName = z.string().max(600);

/**
 * The next nodes that a step of a graph named: by a declared edge, a router, a Command's goto, a Send, an edge that
 * waits for others, or an error handler. Whether an edge was taken is known when its target starts.
 */
const graphMove = z.object({
  to: graphName,
  via: z.enum(["static", "conditional", "goto", "send", "join", "error"]),
  /** The channel of a join. */
  trigger: z.string().max(4000).optional(),
  /** The target lies in the graph around this one. */
  parent: z.boolean().optional(),
  /** How many equal moves there were in a row; absent for one. */
  count: z.int().min(1).max(1_000_000).optional(),
});
const graphMoves = z.array(graphMove).max(1000);

/** Which task of a graph a node ran as. The same task again is a retry, or the run after an interrupt. */
const graphStep = z.object({
  task: z.string().max(4000),
  step: z.int(),
  triggers: z.array(z.string().max(4000)).max(1000),
  /** The index of a sent task among those of its step. */
  index: z.int().min(0).optional(),
});

const endStatus = z.enum(["success", "failure", "interrupted"]);
const attributes = z.record(z.string(), z.unknown()).optional();

/**
 * Of a start or end that stands in for the trace's own, which may come later or never: when what stands in began.
 * The earliest of several stays, and the trace's own replaces it.
 */
const standsInSince = timestamp.optional();

/** Where a trace may have several roots, as OpenTelemetry's may: when the one began that this is of. The earliest of them is the trace's. */
const rootSince = timestamp.optional();

const eventBodies = {
  "trace.start": z.object({
    trace_id: id,
    name: text(500),
    started_at: timestamp,
    thread_id: label,
    session_id: label,
    user_id: label,
    /** Texts by which it is found and grouped. */
    ...mapLabels(() => label),
    tags: z.preprocess(asList, z.array(text(500)).max(50).optional()).optional(),
    /** What it was recorded for; live without it. */
    purpose: z.preprocess(toTracePurpose, z.enum(TRACE_PURPOSES)).optional(),
    input: payload,
    attributes,
    stands_in_since: standsInSince,
    root_since: rootSince,
  }),
  "trace.end": z.object({
    trace_id: id,
    ended_at: timestamp,
    status: endStatus,
    output: payload,
    error: z.string().optional(),
    stack: stackTraceSchema.optional(),
    /** The checkpoint an interrupted run waits at. */
    paused_at: z.string().max(200).optional(),
    attributes,
    stands_in_since: standsInSince,
    root_since: rootSince,
  }),
  /** The run goes on from a checkpoint at which another run of the same thread was interrupted. */
  "trace.resume": z.object({ trace_id: id, resumed_at: timestamp, resumed_from: z.string().max(200) }),
  "observation.start": z.object({
    trace_id: id,
    observation_id: id,
    parent_id: id.nullable(),
    kind: z.enum(["graph", "node", "tool", "llm", "retriever", "span"]),
    name: text(500),
    started_at: timestamp,
    model: label,
    prompt: promptReference.optional(),
    code: codeReference.optional(),
    graph_step: graphStep.optional(),
    input: payload,
    attributes,
  }),
  "observation.end": z.object({
    trace_id: id,
    observation_id: id,
    ended_at: timestamp,
    /** By the producer's monotonic clock. */
    duration_ms: z.number().min(0),
    status: endStatus,
    output: payload,
    error: z.string().optional(),
    stack: stackTraceSchema.optional(),
    model: label,
    usage: usage.optional(),
    /** The time that a streamed model call took to its first token; at most a year. */
    time_to_first_token_ms: z.number().min(0).max(MAX_TIME_TO_FIRST_TOKEN_MS).optional(),
    reasoning: reasoning.optional(),
    tool_entry: toolEntry.optional(),
    next: graphMoves.optional(),
    /** The checkpoint at which this step has the run wait, from whoever cannot tell the trace's end so. */
    paused_at: z.string().max(200).optional(),
    attributes,
  }),
  "observation.update": z.object({ trace_id: id, observation_id: id, attributes: z.record(z.string(), z.unknown()) }),
  graph: z.object({
    graph_hash: z.string().max(128),
    name: z.string().max(500),
    nodes: z.array(z.string().max(500)),
    edges: z.array(z.object({ from: z.string(), to: z.string(), conditional: z.boolean() })),
  }),
  /** A graph received its input, and names its first nodes. */
  "graph.enter": z.object({
    trace_id: id,
    /** The graph's observation; null for the trace's own graph. */
    graph_id: id.nullable(),
    graph_hash: z.string().max(128).optional(),
    /** Absent when the input itself said where to go. */
    step: z.int().optional(),
    next: graphMoves,
  }),
  blob: z.object({ sha256: z.string().max(64), content: z.unknown() }),
  "producer.hello": z.object({ sdk: z.string().max(200), runtime: z.string().max(200), host: z.string().max(300), pid: z.int() }),
  "producer.heartbeat": z.object({ last_seq: z.int().min(0), dropped: z.record(z.string(), z.int().min(0)).optional() }),
  "producer.bye": z.object({ last_seq: z.int().min(0), dropped: z.record(z.string(), z.int().min(0)).optional() }),
  score: z
    .object({
      trace_id: id,
      observation_id: id.optional(),
      name: text(200),
      value: z.union([z.number(), z.boolean()]).optional(),
      /** Of a category or text, instead of the value. */
      text_value: optionalText(4000),
      data_type: z.enum(SCORE_DATA_TYPES).optional().catch(undefined),
      comment: optionalText(4000),
    })
    .refine(({ value, text_value: words }) => value !== undefined || words !== undefined, "a score needs a value or a text_value"),
} as const;

export type EventType = keyof typeof eventBodies;

const common = {
  v: z.literal(EVENT_VERSION),
  /** UUIDv7; the idempotency key: the same id is the same event, however often it arrives. */
  id,
  project_id: id,
  producer_id: id,
  /** Counts a producer's events from 1 without gaps, so that a gap is a loss. */
  seq: z.int().min(1),
  ts: timestamp,
};

function eventOf<Type extends EventType>(type: Type) {
  return z.object({ ...common, type: z.literal(type), body: eventBodies[type] });
}

/** One event, as one stream entry carries it. */
export const eventSchema = z.discriminatedUnion("type", [
  eventOf("trace.start"),
  eventOf("trace.end"),
  eventOf("trace.resume"),
  eventOf("observation.start"),
  eventOf("observation.end"),
  eventOf("observation.update"),
  eventOf("graph"),
  eventOf("graph.enter"),
  eventOf("blob"),
  eventOf("producer.hello"),
  eventOf("producer.heartbeat"),
  eventOf("producer.bye"),
  eventOf("score"),
]);
export type StreamEvent = z.infer<typeof eventSchema>;
