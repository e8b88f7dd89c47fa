import { z } from "zod";
import { listRequestSchema, timestamp } from "./contract/parts.ts";

export * from "./contract/calibration.ts";
export * from "./contract/annotation.ts";
export * from "./contract/checks.ts";
export { describeCheck } from "./checks/describe-check.ts";
export * from "./contract/code-runs.ts";
export { toRecord } from "./csv-record.ts";
export * from "./contract/datasets.ts";
export * from "./contract/experiments.ts";
export * from "./contract/explore.ts";
export * from "./contract/figures.ts";
export * from "./contract/compare.ts";
export * from "./contract/comparison.ts";
export * from "./contract/compare-sets.ts";
export * from "./contract/issues.ts";
export { jsonObjectSchema, jsonValueSchema, type Json, type JsonObject } from "./contract/parts.ts";
export * from "./contract/judges.ts";
export * from "./contract/nodes.ts";
export { presentMessage, readConversation, withReasoning, type Conversation } from "./messages/conversation.ts";
export type { RawMessage } from "./messages/read-messages.ts";
export * from "./contract/masking.ts";
export * from "./contract/models.ts";
export { criticalPath, type CriticalPath } from "./trace-facts/critical-path.ts";
export { findFailures, type Failures } from "./trace-facts/find-failures.ts";
export { stepTimes, type Span } from "./trace-facts/step-times.ts";
export { ancestorPlaces, growTree, withAncestors, type StepNode, type StepTree } from "./trace-facts/step-tree.ts";
export * from "./contract/playground.ts";
export * from "./contract/project-alerts.ts";
export * from "./contract/prompts.ts";
export * from "./contract/project.ts";
export * from "./contract/scores.ts";
export * from "./contract/sharing.ts";
export * from "./contract/score-configs.ts";
export { LISTED_NUMBERS, NUMBERS, type ListedNumberName, type NumberColumn, type NumberName, type NumberUnit } from "./step-numbers.ts";
export * from "./contract/sessions.ts";
export * from "./contract/trace.ts";
export { LABEL_NAMES, TRACE_LABELS, type LabelName } from "./trace-labels.ts";
export { hasTraceFacets, isKeyOfField, NAMED_FIELDS } from "./contract/trace-query/fields.ts";
export * from "./contract/trace-query/trace-query.ts";
export * from "./contract/transcript.ts";
export {
  listRequestSchema,
  MAX_STACK_ERRORS,
  MAX_STACK_FRAMES,
  MAX_STACK_LENGTH,
  observationKindSchema,
  observationStatusSchema,
  stackTraceSchema,
  usageSchema,
  type ObservationKind,
  type ObservationStatus,
  type StackError,
  type StackFrame,
  type StackTrace,
} from "./contract/parts.ts";

/** Requests and answers of observability; safe to import in a browser. */

export const componentSchema = z.object({
  status: z.enum(["up", "down", "unknown"]),
  error: z.string().optional(),
  /** Warnings about what does not stop it yet, with what to do. */
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

/** The addresses that observed applications send to; beside them an application needs a project's id or key. */
export const intakeSchema = z.object({
  /**
   * The event stream's address, for the SDK; `…@` replaces a user and password.
   */
  redis_url: z.string(),
  stream_name: z.string(),
  /** The address for OpenTelemetry exporters over HTTP. */
  otlp_url: z.string(),
});
export type Intake = z.infer<typeof intakeSchema>;

/** A stream entry that was set aside: it could not be read, or its project does not exist. */
export const deadLetterSchema = z.object({
  id: z.uuid(),
  stream: z.string(),
  entry_id: z.string(),
  project_id: z.uuid().nullable(),
  reason: z.string(),
  created_at: timestamp,
  /**
   * The entry's fields (name, value, name, value, …) as JSON text, cut at 4,000 characters in lists, at 1 Mi alone.
   */
  entry: z.string(),
  /** Characters of the whole entry. */
  entry_length: z.int(),
  /** False when the entry was longer than any event can be, and only its beginning was kept. */
  is_whole: z.boolean(),
  state: z.enum(["open", "replayed", "deleted"]),
  /** The user who replayed it and the one who deleted it: an id, or `operator`. */
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

/** A producer as it described itself. */
const producerHelloSchema = z.object({ sdk: z.string(), runtime: z.string(), host: z.string(), pid: z.int() });

/** A process with an SDK that ended and said no goodbye: what it had not sent, nobody knows. */
export const lostProducerSchema = z.object({
  producer_id: z.uuid(),
  producer: producerHelloSchema,
  first_event_at: timestamp,
  last_event_at: timestamp,
});
/** Of the last 24 hours, the last 20 of `total`. */
export const lostProducerListSchema = z.object({ items: z.array(lostProducerSchema), total: z.int() });

/** A range of a producer's numbers that never arrived. */
export const gapSchema = z.object({
  id: z.uuid(),
  project_id: z.uuid(),
  producer_id: z.uuid(),
  /** What the producer said of itself; null when that was lost too. */
  producer: producerHelloSchema.nullable(),
  first_seq: z.int(),
  last_seq: z.int(),
  /** The number of events in the range. */
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

export const alertSchema = z.object({
  name: z.string(),
  severity: z.enum(["warning", "critical"]),
  /** `unknown`: this process can't read the number now, or only the observed application can. */
  state: z.enum(["ok", "firing", "unknown"]),
  value: z.number().nullable(),
  /** It fires when the value is above. */
  above: z.number(),
  unit: z.enum(["events", "seconds", "bytes", "ratio", "connections", "consumers", "hours"]),
  summary: z.string(),
});
export type Alert = z.infer<typeof alertSchema>;
export const alertListSchema = z.object({ items: z.array(alertSchema), checked_at: timestamp });
