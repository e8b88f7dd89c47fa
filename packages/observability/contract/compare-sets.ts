import { z } from "zod";
import { nulRefused, observationKindSchema, timestamp, WITHOUT_NUL } from "./parts.ts";
import { MAX_TRACE_QUERY_LENGTH } from "./trace-query/trace-query.ts";

/** Two sets of traces beside each other: a release and the one before, two models, today and yesterday. */

const setQuery = z.string().max(MAX_TRACE_QUERY_LENGTH).regex(WITHOUT_NUL, nulRefused);

export const compareSetsRequestSchema = z.object({
  /** A query as that of the list: `release:1.3`. */
  a: setQuery,
  b: setQuery,
  /** Traces that began so many hours ago or later; 90 days at the most. */
  hours: z.coerce.number().int().min(1).max(2_160).default(720),
});

/** A figure of a set, and between which two numbers it lies with 95% confidence; of one trace alone those are the figure itself. */
export const estimateSchema = z.object({
  value: z.number(),
  low: z.number(),
  high: z.number(),
  /** Traces or steps that it was made of. */
  of: z.int(),
});
export type Estimate = z.infer<typeof estimateSchema>;

/**
 * `higher` or `lower`: that of B, by the interval of the difference. `unclear`: it holds 0, so that it may be chance. `too_few`: of fewer
 * than 30, of a 95th percentile than 80. `unknown`: a side has no such figure.
 */
export const setVerdictSchema = z.enum(["higher", "lower", "unclear", "too_few", "unknown"]);
export type SetVerdict = z.infer<typeof setVerdictSchema>;

export const comparedFigureSchema = z.object({
  a: estimateSchema.nullable(),
  b: estimateSchema.nullable(),
  /** B less A, and between which two numbers that lies with 95% confidence, of steps, which are many, with 99.9%; null where a side has none, or one. */
  difference: estimateSchema.omit({ of: true }).nullable(),
  verdict: setVerdictSchema,
});
export type ComparedFigure = z.infer<typeof comparedFigureSchema>;

export const traceSetSchema = z.object({
  /** 100,000 at the most. */
  traces: z.int(),
  /** Whether there are more traces, of which the newest are compared. */
  is_cut: z.boolean(),
  ended: z.int(),
  failures: z.int(),
  /** The newest traces, whose steps were looked at. */
  traces_of_steps: z.int(),
});
export type TraceSet = z.infer<typeof traceSetSchema>;

export const comparedSetStepSchema = z.object({
  kind: observationKindSchema,
  name: z.string(),
  /** How often it ran. */
  a: z.int(),
  b: z.int(),
  /** The share of traces that ran it. */
  share: comparedFigureSchema,
  failure_rate: comparedFigureSchema,
  /** What those came to that succeeded. */
  p95_ms: comparedFigureSchema,
});
export type ComparedSetStep = z.infer<typeof comparedSetStepSchema>;

export const setComparisonSchema = z.object({
  from: timestamp,
  a: traceSetSchema,
  b: traceSetSchema,
  /** The share of the traces that ended. */
  failure_rate: comparedFigureSchema,
  /** These are of traces that succeeded: one that died early was not quick. Cost and tokens are the mean of a trace. */
  p50_ms: comparedFigureSchema,
  p95_ms: comparedFigureSchema,
  cost: comparedFigureSchema,
  tokens: comparedFigureSchema,
  /** Steps that changed come first, then those that ran most often; 200 at the most. */
  steps: z.array(comparedSetStepSchema),
  /** Traces are being counted that are not in it yet. */
  is_counting: z.boolean(),
});
export type SetComparison = z.infer<typeof setComparisonSchema>;
