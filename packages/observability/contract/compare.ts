import { z } from "zod";
import {
  codePlaceSchema,
  nulRefused,
  observationKindSchema,
  observationStatusSchema,
  timestamp,
  usageSchema,
  WITHOUT_NUL,
} from "./parts.ts";
import { divergenceOfTwoSchema } from "./nodes.ts";
import { traceIdsSchema } from "./explore.ts";
import { MAX_TRACE_QUERY_LENGTH } from "./trace-query/trace-query.ts";

/** What differed between two runs, and what is taken away from a project. */

/** Which of the aligned steps a page holds. */
export const alignmentFilterSchema = z.enum(["all", "different", "same", "changed", "only_a", "only_b"]);
export type AlignmentFilter = z.infer<typeof alignmentFilterSchema>;

export const compareRequestSchema = z.object({
  /** Two traces of the project; of an interrupted and resumed one the id of any part. */
  a: z.uuid("name the first trace by its id"),
  b: z.uuid("name the second trace by its id"),
  show: alignmentFilterSchema.default("all"),
  /** Where the page of steps begins, as `next_cursor` said. */
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(2000).default(500),
});
export type CompareRequest = z.infer<typeof compareRequestSchema>;

/** One place at which two values differ. Of long texts the beginning, and what surrounds the first difference. */
export const valueDifferenceSchema = z.object({
  /** `messages[2].content`; empty for the value as a whole. */
  path: z.string(),
  /** The value as text or JSON; null when there is nothing at this place. */
  a: z.string().nullable(),
  b: z.string().nullable(),
});
export type ValueDifference = z.infer<typeof valueDifferenceSchema>;

export const comparedValueSchema = z.object({
  /** `unread`: both are there but too large, or too many, to be read here; their hashes differ. */
  outcome: z.enum(["same", "changed", "unread"]),
  differences: z.array(valueDifferenceSchema),
  /** Whether there are more differences than are listed. */
  cut: z.boolean(),
});
export type ComparedValue = z.infer<typeof comparedValueSchema>;

const spent = { duration_ms: z.number().nullable(), ...usageSchema.shape };

export const comparedTraceSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  status: observationStatusSchema,
  started_at: timestamp,
  ended_at: timestamp.nullable(),
  /** The time and tokens of the trace, without the time it waited. */
  ...spent,
  waiting_ms: z.number(),
  steps: z.int(),
  failures: z.int(),
  lost_events: z.int(),
  error: z.string().nullable(),
});
export type ComparedTrace = z.infer<typeof comparedTraceSchema>;

export const comparedStepSchema = z.object({
  id: z.uuid(),
  status: observationStatusSchema,
  started_at: timestamp,
  ...spent,
  model: z.string().nullable(),
  /** Its first 300 characters. */
  error: z.string().nullable(),
  code: codePlaceSchema.nullable(),
});
export type ComparedStep = z.infer<typeof comparedStepSchema>;

/** What of two aligned steps can differ. `code`: another commit, file or function; it alone makes no step `changed`. */
export const stepAspectSchema = z.enum(["status", "error", "model", "parameters", "input", "output", "code"]);
export type StepAspect = z.infer<typeof stepAspectSchema>;

/** A step of one run beside the same one of the other: of the same name and kind, below aligned parents. */
export const alignedStepSchema = z.object({
  outcome: z.enum(["same", "changed", "only_a", "only_b"]),
  kind: observationKindSchema,
  name: z.string(),
  /** Steps above it. */
  depth: z.int(),
  /** It ran at another place among its siblings. */
  moved: z.boolean(),
  aspects: z.array(stepAspectSchema),
  a: comparedStepSchema.nullable(),
  b: comparedStepSchema.nullable(),
  /** Where input, output and parameters differ, each path beginning with one of these; null when nothing was read. */
  values: comparedValueSchema.nullable(),
});
export type AlignedStep = z.infer<typeof alignedStepSchema>;

export const comparisonSchema = z.object({
  project_id: z.uuid(),
  a: comparedTraceSchema,
  b: comparedTraceSchema,
  /** Where the second begins to go another way, of what is of the way and of values, not of time; null where nowhere, or where a trace has more steps than are read for it. */
  first_divergence: divergenceOfTwoSchema.nullable(),
  /** Aligned steps, and those that only one run has. */
  counts: z.object({ same: z.int(), changed: z.int(), only_a: z.int(), only_b: z.int(), moved: z.int() }),
  input: comparedValueSchema,
  output: comparedValueSchema,
  /** The commits of which steps ran code, by repository. */
  commits: z.array(z.object({ repo: z.string().nullable(), a: z.array(z.string()), b: z.array(z.string()) })),
  steps: z.array(alignedStepSchema),
  /** Aligned steps that `show` lets through, on all pages. */
  steps_total: z.int(),
  next_cursor: z.string().nullable(),
  /** What this answer leaves out, in words. */
  cut: z.array(z.string()),
});
export type Comparison = z.infer<typeof comparisonSchema>;

export const exportRequestSchema = z.object({
  /** A query as that of the list. */
  q: z.string().max(MAX_TRACE_QUERY_LENGTH).regex(WITHOUT_NUL, nulRefused).optional(),
  /** Traces that started then or later, and before. */
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  /** This trace alone. */
  trace_id: z.uuid().optional(),
  /** These traces alone, as the list names them; parted by commas. */
  trace_ids: z
    .string()
    .transform((text) => text.split(","))
    .pipe(traceIdsSchema)
    .optional(),
  /** `values`: with inputs, outputs, reasoning and attributes. */
  include: z.enum(["values"]).optional(),
  /** `csv`: a row for each trace, as the list has it, without values. */
  format: z.enum(["jsonl", "csv"]).default("jsonl"),
});
export type ExportRequest = z.infer<typeof exportRequestSchema>;

/** The last line of an export. One that does not end with it, or with `complete: false`, is a part of the whole. */
export const exportEndSchema = z.object({
  type: z.literal("end"),
  traces: z.int(),
  observations: z.int(),
  complete: z.boolean(),
  message: z.string().optional(),
});
export type ExportEnd = z.infer<typeof exportEndSchema>;

export const scoreNamesSchema = z.object({ items: z.array(z.string()) });
