import { z } from "zod";
import { listRequestSchema, nulRefused, observationKindSchema, timestamp, WITHOUT_NUL } from "./contract-parts.ts";

export * from "./figures-contract.ts";
export { listRequestSchema, observationKindSchema, type ObservationKind } from "./contract-parts.ts";

/** Requests and answers of observability; safe to import in a browser. */

export const componentSchema = z.object({
  status: z.enum(["up", "down", "unknown"]),
  error: z.string().optional(),
  /** What does not stop it yet, and what to do about it. */
  warnings: z.array(z.string()).optional(),
});
export const healthSchema = z.object({ status: z.literal("healthy"), version: z.string() });
export const detailedHealthSchema = z.object({
  status: z.enum(["healthy", "degraded"]),
  timestamp,
  version: z.string(),
  components: z.object({ database: componentSchema, redis: componentSchema, consumer: componentSchema }),
});
export type DetailedHealth = z.infer<typeof detailedHealthSchema>;

export const createProjectRequestSchema = z.object({
  name: z.string().trim().min(1, "give the project a name").max(200).regex(WITHOUT_NUL, nulRefused),
});
/** What is left out stays as it is. */
export const changeProjectRequestSchema = z.object({
  name: createProjectRequestSchema.shape.name.optional(),
  /** Traces are deleted so many days after their first event arrived; null keeps them without end. */
  retention_days: z
    .int()
    .min(1, "keep traces for a day at least")
    .max(36_500, "keep traces for 36500 days at most, or null for ever")
    .nullable()
    .optional(),
});
export type ChangeProjectRequest = z.infer<typeof changeProjectRequestSchema>;

export type CreateProjectRequest = z.infer<typeof createProjectRequestSchema>;

export const projectSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  created_at: timestamp,
  retention_days: z.int().nullable(),
  /** Traces of the last 24 hours. */
  recent_traces: z.int(),
  last_trace_at: timestamp.nullable(),
});
export type Project = z.infer<typeof projectSchema>;

export const projectPageSchema = z.object({ items: z.array(projectSchema), next_cursor: z.string().nullable() });
export type ProjectPage = z.infer<typeof projectPageSchema>;

export const observationStatusSchema = z.enum(["running", "success", "failure", "interrupted", "abandoned"]);
export type ObservationStatus = z.infer<typeof observationStatusSchema>;

/** Tokens of model calls; null where the provider reported none. */
export const usageSchema = z.object({
  /** With what was read from and written to the provider's cache. */
  input_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  /** US dollars by the project's prices; null when no model in it has a price. */
  cost: z.number().nullable(),
});

export const traceSummarySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  status: observationStatusSchema,
  started_at: timestamp,
  ended_at: timestamp.nullable(),
  /** Without the time it waited. */
  duration_ms: z.number().nullable(),
  /** Between interrupts and their resumes. */
  waiting_ms: z.number(),
  observations: z.int(),
  failures: z.int(),
  /** Events of this trace known to be missing. */
  lost_events: z.int(),
  thread_id: z.string().nullable(),
  ...usageSchema.shape,
});
export type TraceSummary = z.infer<typeof traceSummarySchema>;

export const listTracesRequestSchema = z.object({
  status: observationStatusSchema.optional(),
  /** A part of the name, in either case. */
  name: z.string().max(200).regex(WITHOUT_NUL, nulRefused).optional(),
  /**
   * Words, all of which are in its name, error, thread, session or user, or in the first 4,096 characters of its input or
   * output; in either case, and whole.
   */
  search: z.string().max(200).regex(WITHOUT_NUL, nulRefused).optional(),
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const observationSchema = z.object({
  id: z.uuid(),
  parent_id: z.uuid().nullable(),
  kind: observationKindSchema,
  name: z.string(),
  status: observationStatusSchema,
  started_at: timestamp,
  ended_at: timestamp.nullable(),
  duration_ms: z.number().nullable(),
  /** Order of its start among the events of its producer. */
  seq: z.int(),
  model: z.string().nullable(),
  ...usageSchema.shape,
  cache_read_tokens: z.int().nullable(),
  cache_write_tokens: z.int().nullable(),
  /** Part of the output. */
  reasoning_tokens: z.int().nullable(),
  error: z.string().nullable(),
  /** The code that ran, when the producer knows it. */
  code: z
    .object({
      repo: z.string().optional(),
      commit: z.string().optional(),
      file: z.string(),
      line: z.int(),
      function: z.string().optional(),
    })
    .nullable(),
  /**
   * As the application sent it. What is too long is `{"truncated": true, "characters", "preview"}`; a part that was sent once
   * and has not arrived, or is kept no longer, `{"$blob": "<sha256>", "missing": true}`.
   */
  input: z.unknown(),
  output: z.unknown(),
  /** Text a model gave as its reasoning. */
  reasoning: z.string().nullable(),
  attributes: z.record(z.string(), z.unknown()),
});
export type Observation = z.infer<typeof observationSchema>;

/** A graph as it was built. Nodes of a graph inside a node are called `node:inner`. */
export const declaredGraphSchema = z.object({
  nodes: z.array(z.string()),
  edges: z.array(z.object({ from: z.string(), to: z.string(), conditional: z.boolean() })),
});
export type DeclaredGraph = z.infer<typeof declaredGraphSchema>;

/** An edge that runs went, and how often. */
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
  /** There is more than this answer holds: steps are missing at its end, or inputs and outputs. */
  truncated: z.boolean(),
  input: z.unknown(),
  output: z.unknown(),
  error: z.string().nullable(),
  attributes: z.record(z.string(), z.unknown()),
  /** The runs it consists of; more than one when an interrupted run was resumed. */
  segments: z.array(z.object({ id: z.uuid(), status: observationStatusSchema, started_at: timestamp, ended_at: timestamp.nullable() })),
  /** Null when no graph ran. */
  graph: z.object({ declared: declaredGraphSchema.nullable(), taken: z.array(takenEdgeSchema) }).nullable(),
  /** In the order of their start; parents come before their children. */
  observation_list: z.array(observationSchema),
});
export type Trace = z.infer<typeof traceSchema>;

export const tracePageSchema = z.object({ items: z.array(traceSummarySchema), next_cursor: z.string().nullable() });
export type TracePage = z.infer<typeof tracePageSchema>;

/** A stream entry that was set aside: it could not be read, or its project does not exist. */
export const deadLetterSchema = z.object({
  id: z.uuid(),
  stream: z.string(),
  entry_id: z.string(),
  project_id: z.uuid().nullable(),
  reason: z.string(),
  created_at: timestamp,
  /** The entry's fields (name, value, name, value, …) as JSON text, mended if they were; cut at 4,000 characters in lists, at 1 Mi alone. */
  entry: z.string(),
  /** Characters of the whole entry. */
  entry_length: z.int(),
  /** False when the entry was longer than any event can be, and only its beginning was kept. */
  is_whole: z.boolean(),
  state: z.enum(["open", "replayed", "deleted"]),
  /** Who mended, replayed and deleted it: a user's id, or `operator`. */
  fixed_at: timestamp.nullable(),
  fixed_by: z.string().nullable(),
  replayed_at: timestamp.nullable(),
  replayed_by: z.string().nullable(),
  deleted_at: timestamp.nullable(),
  deleted_by: z.string().nullable(),
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;

export const listDeadLettersRequestSchema = listRequestSchema.extend({
  state: z.enum(["open", "replayed", "deleted", "all"]).default("open"),
  project_id: z.uuid().optional(),
});

/** The whole entry as it should have been: `v`, `id`, `type`, `project_id`, `producer_id`, `seq`, `ts` and `body`, each a text. */
export const fixDeadLetterRequestSchema = z.object({
  fields: z
    .record(z.string().max(200), z.string())
    .refine((fields) => Object.keys(fields).length <= 100, "an entry has at most 100 fields"),
});
export type FixDeadLetterRequest = z.infer<typeof fixDeadLetterRequestSchema>;

/** A range of a producer's numbers that never arrived. */
export const gapSchema = z.object({
  id: z.uuid(),
  project_id: z.uuid(),
  producer_id: z.uuid(),
  /** What the producer said of itself; null when that was lost too. */
  producer: z.object({ sdk: z.string(), runtime: z.string(), host: z.string(), pid: z.int() }).nullable(),
  first_seq: z.int(),
  last_seq: z.int(),
  /** How many events that are. */
  events: z.int(),
  found_at: timestamp,
  producer_first_event_at: timestamp.nullable(),
  producer_last_event_at: timestamp.nullable(),
});
export type Gap = z.infer<typeof gapSchema>;
export const gapPageSchema = z.object({ items: z.array(gapSchema), next_cursor: z.string().nullable() });
export type GapPage = z.infer<typeof gapPageSchema>;
export const listGapsRequestSchema = listRequestSchema.extend({ project_id: z.uuid().optional() });
export const deadLetterPageSchema = z.object({ items: z.array(deadLetterSchema), next_cursor: z.string().nullable() });
export type DeadLetterPage = z.infer<typeof deadLetterPageSchema>;

/** `ingest`: send traces (OTLP). `read`: list and read the project's traces. */
export const apiKeyScopeSchema = z.enum(["ingest", "read"]);
export type ApiKeyScope = z.infer<typeof apiKeyScopeSchema>;

export const createApiKeyRequestSchema = z.object({
  name: z.string().trim().min(1, "give the key a name").max(200).regex(WITHOUT_NUL, nulRefused),
  scopes: z.array(apiKeyScopeSchema).min(1, "give the key a scope").max(10).default(["ingest"]),
});

export const apiKeySchema = z.object({
  id: z.uuid(),
  project_id: z.uuid(),
  name: z.string(),
  /** The key's first characters. */
  prefix: z.string(),
  scopes: z.array(apiKeyScopeSchema),
  created_at: timestamp,
  /** To the minute. */
  last_used_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

/** The only answer with the key itself. */
export const createdApiKeySchema = apiKeySchema.extend({ key: z.string() });
export const apiKeyPageSchema = z.object({ items: z.array(apiKeySchema), next_cursor: z.string().nullable() });
export type ApiKeyPage = z.infer<typeof apiKeyPageSchema>;

export const alertSchema = z.object({
  name: z.string(),
  severity: z.enum(["warning", "critical"]),
  /** `unknown`: this process can't read the number now, or only the observed application can. */
  state: z.enum(["ok", "firing", "unknown"]),
  value: z.number().nullable(),
  /** It fires when the value is above. */
  above: z.number(),
  unit: z.enum(["events", "seconds", "bytes", "ratio", "connections", "consumers"]),
  summary: z.string(),
});
export type Alert = z.infer<typeof alertSchema>;
export const alertListSchema = z.object({ items: z.array(alertSchema), checked_at: timestamp });
