import { z } from "zod";
import { codeLineSchema } from "./datasets.ts";
import { checkResultSchema } from "./checks.ts";
import { jsonObjectSchema, jsonValueSchema, listRequestSchema, nulRefused, timestamp, WITHOUT_NUL } from "./parts.ts";

/** Experiments: one task over one version of a dataset. The application runs it where it lives, and reports its runs. */

const label = z.string().trim().min(1).max(200).regex(WITHOUT_NUL, nulRefused);
const text = z.string().max(200).regex(WITHOUT_NUL, nulRefused);

/** A function that scores runs: higher is better unless told. The version tells whose scores may be compared. */
export const evaluatorSchema = z.object({
  name: label,
  version: text.default("1"),
  higher_is_better: z.boolean().default(true),
});
export type Evaluator = z.output<typeof evaluatorSchema>;

export const MAX_EVALUATORS = 50;

export const createExperimentRequestSchema = z.object({
  dataset_id: z.uuid(),
  /** Without it, the newest. */
  dataset_version: z.int().min(1).optional(),
  split: text.nullable().default(null),
  name: label,
  branch: text.nullable().default(null),
  commit: text.nullable().default(null),
  is_dirty: z.boolean().default(false),
  config: jsonObjectSchema.default({}),
  repetitions: z.int().min(1).max(100, "at most 100 repetitions an item").default(1),
  evaluators: z.array(evaluatorSchema).max(MAX_EVALUATORS).default([]),
});
export type CreateExperimentRequest = z.input<typeof createExperimentRequestSchema>;

export const scoreSourceSchema = z.enum(["application", "check", "judge", "run"]);
/** `low` and `high`: the interval of 95 %; null where one number says nothing of others. */
const scoreMeanSchema = z.object({
  name: z.string(),
  source: scoreSourceSchema,
  mean: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  items: z.int(),
});
export type ScoreMean = z.infer<typeof scoreMeanSchema>;

/**
 * `worse`: a required item failed, or a primary score fell by the margin. `inconclusive`: so many items can't tell. `broken`: runs or scores are
 * missing, or there is no baseline: never passed.
 */
export const gateOutcomeSchema = z.enum(["passed", "worse", "inconclusive", "broken"]);
export type GateOutcome = z.infer<typeof gateOutcomeSchema>;
/** The newest verdict of a gate: against which baseline, and when. */
const gateVerdictSchema = z.object({ outcome: gateOutcomeSchema, baseline: z.string().nullable(), judged_at: timestamp });
export type GateVerdict = z.infer<typeof gateVerdictSchema>;

export const experimentStateSchema = z.enum(["running", "finished", "cancelled"]);
export const runStateSchema = z.enum(["succeeded", "failed", "missing"]);

export const experimentSchema = z.object({
  id: z.uuid(),
  dataset_id: z.uuid(),
  dataset: z.string(),
  dataset_version: z.int(),
  split: z.string().nullable(),
  name: z.string(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  is_dirty: z.boolean(),
  config: jsonObjectSchema,
  repetitions: z.int(),
  evaluators: z.array(evaluatorSchema),
  author: z.string(),
  state: experimentStateSchema,
  created_at: timestamp,
  ended_at: timestamp.nullable(),
  /** Items of the version and split: that times repetitions is how many runs a whole experiment has. */
  items: z.int(),
  /** By the newest attempt of each; `unchecked`: their checks await the trace. */
  runs: z.object({ succeeded: z.int(), failed: z.int(), missing: z.int(), unchecked: z.int() }),
  /** Dollars that the newest attempts took, as far as their traces are counted and their models have prices; null: nothing is known of it. */
  cost: z.number().nullable(),
  /** The mean over items of each score, as it was when the experiment ended. `run`: what runs took, in dollars, seconds and tokens. */
  means: z.array(scoreMeanSchema),
  /** Null until a gate was run, as CI does; looking at one in the console is none. */
  gate: gateVerdictSchema.nullable(),
});
export type Experiment = z.infer<typeof experimentSchema>;
export const experimentPageSchema = z.object({ items: z.array(experimentSchema), next_cursor: z.string().nullable() });
export type ExperimentPage = z.infer<typeof experimentPageSchema>;
export const listExperimentsRequestSchema = listRequestSchema.extend({ dataset_id: z.uuid().optional(), branch: text.optional() });

/** Larger ones have no mean that could be told. */
const MAX_SCORE = 1e15;

/** PostgreSQL's text holds no NUL; one odd character costs no run. */
const words = (most: number) =>
  z
    .string()
    .max(most)
    .overwrite((given) => given.replaceAll("\0", "�"))
    .nullable()
    .default(null);

/** Boolean values count 1 or 0. Without a value it is missing, and `error` says why: an evaluator that threw, or gave no number. */
export const runScoreSchema = z.object({
  name: label,
  value: z.union([z.number().min(-MAX_SCORE).max(MAX_SCORE), z.boolean()]).nullable(),
  evaluator_version: text.default("1"),
  explanation: words(10_000),
  error: words(2_000),
});

export const reportRunSchema = z.object({
  item_id: z.uuid().toLowerCase(),
  repetition: z.int().min(0).max(99),
  /** Counted from 1; a higher one replaces a lower one, which is kept. */
  attempt: z.int().min(1).max(100).default(1),
  state: runStateSchema,
  output: jsonValueSchema.default(null),
  error: words(10_000),
  trace_id: z.uuid().toLowerCase().nullable().default(null),
  started_at: timestamp.nullable().default(null),
  duration_ms: z.number().min(0).nullable().default(null),
  scores: z.array(runScoreSchema).max(50).default([]),
});
/** Reported again, a run stays as it was reported first: nothing is counted twice. */
export const reportRunsRequestSchema = z.object({ runs: z.array(reportRunSchema).min(1).max(100, "at most 100 runs a request") });
export type ReportRunsRequest = z.input<typeof reportRunsRequestSchema>;
export type ReportedRun = z.output<typeof reportRunSchema>;
/** Scores of runs that ended, by evaluators that may be new to the experiment. */
export const addScoresRequestSchema = z.object({
  evaluators: z.array(evaluatorSchema).min(1).max(MAX_EVALUATORS),
  runs: z
    .array(reportRunSchema.pick({ item_id: true, repetition: true, attempt: true, scores: true }))
    .min(1)
    .max(100, "at most 100 runs a request"),
});
export type AddScoresRequest = z.output<typeof addScoresRequestSchema>;
export const reportedRunsSchema = z.object({ written: z.int(), known: z.int() });

/**
 * Evaluates some of the checks that awaited their traces: ask again as long as `runs.unchecked` falls. `wait`: traces may still come; without it, what is
 * still awaited is marked as missing.
 */
export const finishExperimentRequestSchema = z.object({
  state: z.enum(["finished", "cancelled"]).default("finished"),
  wait: z.boolean().default(false),
});

export const runSchema = z.object({
  item_id: z.uuid(),
  repetition: z.int(),
  attempt: z.int(),
  state: runStateSchema,
  output: jsonValueSchema,
  error: z.string().nullable(),
  trace_id: z.uuid().nullable(),
  duration_ms: z.number().nullable(),
  /** Of its trace, once that is counted. */
  cost: z.number().nullable(),
  tokens: z.int().nullable(),
  /** The line at which its trace failed, and the commit that ran; null where it did not, or says none. */
  place: codeLineSchema.nullable(),
  checks: z.array(checkResultSchema).nullable(),
  scores: z.array(
    runScoreSchema.extend({
      source: z.enum(["application", "check", "judge"]),
      value: z.number().nullable(),
      /** The category that a judge gave. */
      text_value: z.string().nullable(),
      is_boolean: z.boolean(),
    }),
  ),
});
export type Run = z.infer<typeof runSchema>;
export const listRunsRequestSchema = listRequestSchema.extend({ item_id: z.uuid().optional() });
export const runPageSchema = z.object({ items: z.array(runSchema), next_cursor: z.string().nullable() });
