import { z } from "zod";

/** Requests and answers of observability; safe to import in a browser. */

const timestamp = z.iso.datetime();

export const componentSchema = z.object({ status: z.enum(["up", "down", "unknown"]), error: z.string().optional() });
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
export type CreateProjectRequest = z.infer<typeof createProjectRequestSchema>;

export const projectSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  created_at: timestamp,
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
export const usageSchema = z.object({ input_tokens: z.int().nullable(), output_tokens: z.int().nullable() });

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
  input: z.unknown(),
  output: z.unknown(),
  /** Text a model gave as its reasoning. */
  reasoning: z.string().nullable(),
  attributes: z.record(z.string(), z.unknown()),
});
export type Observation = z.infer<typeof observationSchema>;

export const traceSchema = traceSummarySchema.extend({
  project_id: z.uuid(),
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
  /** The entry's fields (name, value, name, value, …) as JSON text, cut at 4,000 characters. */
  entry: z.string(),
  /** Characters of the whole entry. */
  entry_length: z.int(),
});
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
