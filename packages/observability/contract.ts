import { z } from "zod";

/** Requests and answers of observability; safe to import in a browser. */

const timestamp = z.iso.datetime();

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

/** PostgreSQL's text can't hold a NUL. */
const WITHOUT_NUL = /^[^\0]*$/;
const nulRefused = "a NUL character can't be in a name";

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

export const listRequestSchema = z.object({
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export const projectPageSchema = z.object({ items: z.array(projectSchema), next_cursor: z.string().nullable() });
export type ProjectPage = z.infer<typeof projectPageSchema>;

export const observationStatusSchema = z.enum(["running", "success", "failure", "interrupted", "abandoned"]);
export type ObservationStatus = z.infer<typeof observationStatusSchema>;

export const observationKindSchema = z.enum(["graph", "node", "tool", "llm", "retriever", "span"]);
export type ObservationKind = z.infer<typeof observationKindSchema>;

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
  duration_ms: z.number().nullable(),
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
  name: z.string().max(200).regex(WITHOUT_NUL, nulRefused).optional(),
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

export const traceSchema = traceSummarySchema.extend({
  project_id: z.uuid(),
  /** There is more than this answer holds: steps are missing at its end, or inputs and outputs. */
  truncated: z.boolean(),
  input: z.unknown(),
  output: z.unknown(),
  error: z.string().nullable(),
  attributes: z.record(z.string(), z.unknown()),
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

const amountSchema = z.number().min(0).max(1e6);
const priceFields = {
  /** As the provider calls it; in lower case, and a date behind it may be left out. */
  model: z.string().trim().min(1, "name the model").max(500).regex(WITHOUT_NUL, nulRefused),
  /** US dollars for a million tokens. */
  input: amountSchema,
  output: amountSchema,
};

/** Calls from the hour of `valid_from` on have this price, until the next version; without it, calls from this hour on. */
export const putPriceRequestSchema = z.object({
  ...priceFields,
  /** Without one, what `input` costs. */
  cache_read: amountSchema.nullable().default(null),
  cache_write: amountSchema.nullable().default(null),
  valid_from: timestamp.optional(),
});
export type PutPriceRequest = z.input<typeof putPriceRequestSchema>;
export const deletePriceRequestSchema = z.object({ model: priceFields.model, valid_from: timestamp });

export const priceSchema = z.object({
  ...priceFields,
  cache_read: z.number().nullable(),
  cache_write: z.number().nullable(),
  valid_from: timestamp,
  /** Where a default price was read, and when; null for one of the project's own, which goes before it. */
  source: z.string().nullable(),
});
export type Price = z.infer<typeof priceSchema>;
export const priceListSchema = z.object({ items: z.array(priceSchema) });

const nameFilter = z.string().max(500).regex(WITHOUT_NUL, nulRefused).optional();

/** Whole hours: `from` is rounded down and `to` up; the last 24 hours without them. */
export const metricsRequestSchema = z.object({
  from: timestamp.optional(),
  to: timestamp.optional(),
  /** `hour` for 31 days at the most, `day` (UTC) for 732. */
  step: z.enum(["hour", "day"]).default("hour"),
  /** The observations counted, and not those of other kinds, names or models. */
  kind: observationKindSchema.optional(),
  name: nameFilter,
  model: nameFilter,
  /** Groups of observations; those with the most, 50 of them. */
  by: z.enum(["kind", "name", "model", "status"]).optional(),
});

/** Durations at most a tenth beside the truth, of what has ended; null when nothing has. */
const durationsSchema = z.object({
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
  p99_ms: z.number().nullable(),
  mean_ms: z.number().nullable(),
});
const countsSchema = durationsSchema.extend({ count: z.int(), failures: z.int() });
const spentSchema = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  /** Model calls, and those among them whose model has no price: they are not in `cost`. */
  calls: z.int(),
  unpriced_calls: z.int(),
  cost: z.number().nullable(),
});
export const metricsPointSchema = spentSchema.extend({ traces: countsSchema, observations: countsSchema });
export const metricsSchema = z.object({
  from: timestamp,
  to: timestamp,
  step: z.enum(["hour", "day"]),
  /** Hours whose events arrived a moment ago and are not counted yet. */
  pending_hours: z.int(),
  total: metricsPointSchema,
  /** Steps in which something happened. */
  series: z.array(metricsPointSchema.extend({ time: timestamp })),
  groups: z.array(spentSchema.extend({ key: z.string(), observations: countsSchema })),
});
export type Metrics = z.infer<typeof metricsSchema>;
export type MetricsPoint = z.infer<typeof metricsPointSchema>;

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
