import { z } from "zod";
import { intervalSchema } from "./calibration.ts";
import { codeLineSchema, itemSourceSchema } from "./datasets.ts";
import { experimentSchema, gateOutcomeSchema, runStateSchema, scoreSourceSchema } from "./experiments.ts";
import { listRequestSchema, nulRefused, WITHOUT_NUL } from "./parts.ts";

/** An experiment beside a baseline, paired by item; and what a gate makes of it. docs/statistics.md says what the numbers mean. */

export const DEFAULT_MARGIN = 0.1;

/** `better` and `worse` are told; `same`: within the margin; `unclear`: not told by so many items; `too_few`: hardly any item differs. */
export const verdictSchema = z.enum(["better", "worse", "same", "unclear", "too_few"]);
export type Verdict = z.infer<typeof verdictSchema>;

const margin = z.coerce.number().gt(0).max(1e9).default(DEFAULT_MARGIN);
/** An experiment's id, or a branch, whose last three finished experiments of the same dataset are pooled. */
const text = z.string().max(200).regex(WITHOUT_NUL, nulRefused);
const baseline = text.min(1).optional();

export const compareExperimentsRequestSchema = z.object({ baseline, margin });
export const compareNodesRequestSchema = z.object({ baseline: baseline.nonoptional("name a branch, or an experiment's id") });

const summarySchema = z.object({
  /** The mean over items of their mean over repetitions. */
  mean: z.number().nullable(),
  /** Its interval of 95 %. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  items: z.int(),
  /** Of a judge's boolean, by how often it is right; null where that is not known. Differences are of what it said. */
  corrected: intervalSchema.nullable(),
  /** Runs that should have this score and do not. */
  missing: z.int(),
  /** Of a boolean with several repetitions: the rate at which one of them passes, at which all do, and items that were seen to do both. */
  repeated: z.object({ any_passes: z.number(), all_pass: z.number(), seen_flaky: z.int() }).nullable(),
});

export const comparedScoreSchema = z.object({
  name: z.string(),
  /** `run`: what runs took, `cost` in dollars, `duration` in seconds, `tokens`. */
  source: scoreSourceSchema,
  higher_is_better: z.boolean(),
  /** Whether a judge agrees with people well enough to fail a gate; null of what is no judge's. */
  is_calibrated: z.boolean().nullable(),
  candidate: summarySchema,
  baseline: summarySchema.nullable(),
  /** Of the items that both have, candidate minus baseline; null without any. */
  difference: z
    .object({
      value: z.number(),
      low: z.number(),
      high: z.number(),
      verdict: verdictSchema,
      /** The difference that matters: as it was asked for; of what runs took, that part of the baseline. */
      margin: z.number(),
      /** Items that were compared, those that differ, and which way. */
      items: z.int(),
      improved: z.int(),
      worsened: z.int(),
      procedure: z.string(),
      /** Whether it stands out of all these scores: of those that do, about one in ten is chance (Benjamini and Hochberg). */
      stands_out: z.boolean(),
      /** The smallest difference that so many items would tell in 80 of 100 cases. */
      detectable: z.number().nullable(),
      /** About how many items would tell a difference of the margin. */
      items_needed: z.int().nullable(),
    })
    .nullable(),
});
export type ComparedScore = z.infer<typeof comparedScoreSchema>;

/** `cost ($)`, `duration (s)`: the name of a score with the unit of what runs took. */
export function nameWithUnit({ name, source }: Pick<ComparedScore, "name" | "source">): string {
  return source !== "run" || name === "tokens" ? name : `${name} (${name === "cost" ? "$" : "s"})`;
}

export const experimentComparisonSchema = z.object({
  candidate: experimentSchema,
  /** Newest first; empty when there is nothing to compare with. */
  baseline: z.array(experimentSchema),
  margin: z.number(),
  scores: z.array(comparedScoreSchema),
  /** What else there is to know of the baseline, in sentences. */
  notes: z.array(z.string()),
  /** Items that were left out, and why. */
  unpaired: z.object({ changed: z.int(), only_candidate: z.int(), only_baseline: z.int() }),
});
export type ExperimentComparison = z.infer<typeof experimentComparisonSchema>;

export const experimentItemsRequestSchema = listRequestSchema.extend({
  baseline,
  /** The score that `only` judges by; the first without it. */
  score: text.optional(),
  only: z.enum(["all", "worse", "better", "failed", "missing"]).default("all"),
});

export const exportComparedItemsRequestSchema = experimentItemsRequestSchema
  .omit({ cursor: true, limit: true })
  .extend({ format: z.enum(["jsonl", "csv"]).default("jsonl") });

const cellSchema = z.object({
  runs: z.array(
    z.object({
      repetition: z.int(),
      state: runStateSchema,
      /** As JSON text, at most 2,000 characters. */
      output: z.string(),
      error: z.string().nullable(),
      trace_id: z.uuid().nullable(),
      /** The line at which its trace failed, and the commit that ran; null where it did not, or says none. */
      place: codeLineSchema.nullable(),
    }),
  ),
  /** Means over the repetitions; of categories all that were given, joined by commas. */
  scores: z.array(
    z.object({
      name: z.string(),
      source: z.string(),
      mean: z.number().nullable(),
      text_value: z.string().nullable(),
      explanation: z.string().nullable(),
    }),
  ),
});
export const experimentItemSchema = z.object({
  item_id: z.uuid(),
  /** As JSON texts, at most 2,000 characters. */
  input: z.string(),
  expected: z.string(),
  required: z.boolean(),
  split: z.string().nullable(),
  source: itemSourceSchema.nullable(),
  candidate: cellSchema,
  baseline: cellSchema.nullable(),
});
export type ExperimentItem = z.infer<typeof experimentItemSchema>;
export const experimentItemPageSchema = z.object({ items: z.array(experimentItemSchema), next_cursor: z.string().nullable() });
export type ExperimentItemPage = z.infer<typeof experimentItemPageSchema>;

export const gateRequestSchema = z.object({
  baseline,
  margin,
  /** Names of the scores that decide, joined by commas; without it all that are there, but not what runs took. */
  primary: z.string().max(2_000).optional(),
  /** Whether scores of judges that are not calibrated may fail it. */
  allow_uncalibrated: z.stringbool().default(false),
});

export const gateSchema = z.object({
  outcome: gateOutcomeSchema,
  /** Sentences, the weightiest first. */
  reasons: z.array(z.string()),
  scores: z.array(z.object({ name: z.string(), source: z.string(), outcome: gateOutcomeSchema, reason: z.string() })),
  /** Required items that failed, 100 at the most. */
  required: z.array(
    z.object({ item_id: z.uuid(), failed: z.int(), repetitions: z.int(), reason: z.string(), source: itemSourceSchema.nullable() }),
  ),
  comparison: experimentComparisonSchema,
});
export type Gate = z.infer<typeof gateSchema>;

/** Which of two experiments' outputs is better, item by item: by hand, and by judges. `margin`: from one half. */
export const preferencesRequestSchema = z.object({
  baseline: z.uuid("name the other experiment by its id"),
  margin: z.coerce.number().gt(0).max(0.5).default(DEFAULT_MARGIN),
});

const preferenceSummarySchema = z.object({
  /** An evaluator and its newest version; null: people. */
  judge: z.object({ name: z.string(), version: z.int(), is_calibrated: z.boolean() }).nullable(),
  people: z.int(),
  items: z.int(),
  /** Items of which most answers prefer the candidate, the baseline, or neither. */
  won: z.int(),
  lost: z.int(),
  tied: z.int(),
  /** Answers of people who skipped the item. */
  skipped: z.int(),
  /** Pairs of runs of which a judge said something else once they were swapped, which is a tie; and those that it was asked of one way only, which count nowhere. */
  follows_position: z.int(),
  incomplete: z.int(),
  /** How often the candidate is preferred, ties as halves. */
  rate: intervalSchema
    .extend({
      verdict: verdictSchema,
      procedure: z.string(),
      p_value: z.number(),
      detectable: z.number().nullable(),
      items_needed: z.int().nullable(),
    })
    .nullable(),
  /** How far a judge and people agree: the items that both compared, the part of them of which both say the same, and Cohen's κ. */
  agreement: z.object({ items: z.int(), same: z.number(), kappa: intervalSchema.nullable() }).nullable(),
});
export type PreferenceSummary = z.infer<typeof preferenceSummarySchema>;
/** People first; nobody's answers are averaged with a judge's. `items`: which both experiments ran, of the same revision. */
export const preferencesSchema = z.object({ items: z.int(), margin: z.number(), summaries: z.array(preferenceSummarySchema) });
export type Preferences = z.infer<typeof preferencesSchema>;

const pairSideSchema = z.object({ state: runStateSchema, output: z.string(), error: z.string().nullable() });
/** The next item for whoever asks, in an order and with a first side of their own; null once they have answered for all. JSON texts have at most 20,000 characters. */
export const nextPairSchema = z.object({
  items: z.int(),
  answered: z.int(),
  pair: z.object({ item_id: z.uuid(), input: z.string(), expected: z.string(), first: pairSideSchema, second: pairSideSchema }).nullable(),
});
export type NextPair = z.infer<typeof nextPairSchema>;

export const PREFERRED = ["first", "second", "tie"] as const;
export type Preferred = (typeof PREFERRED)[number];
export const preferRequestSchema = z.union([
  z.strictObject({ preferred: z.enum(PREFERRED) }),
  z.strictObject({ skip: z.string().trim().min(1, "say why").max(500).regex(WITHOUT_NUL, nulRefused) }),
]);
export type PreferRequest = z.input<typeof preferRequestSchema>;
