import { z } from "zod";

/** How far a judge agrees with people. docs/statistics.md says what the numbers mean. */

/** Labels of people that each value of a boolean or category needs; of numbers twice as many in all. */
export const MIN_LABELS = 30;
/** What the lower limit of each class's recall, or of the agreement on numbers, has to reach. */
export const MIN_AGREEMENT = 0.7;

export const intervalSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });

/** The form in which it is kept with the evaluator; it is of one version. `rates`: of a boolean. */
export type KeptCalibration = {
  readonly version: number;
  readonly is_calibrated: boolean;
  readonly rates: Readonly<Record<"truePositive" | "trueNegative", z.infer<typeof intervalSchema>>> | null;
};

export const calibrationSchema = z.object({
  version: z.int(),
  is_calibrated: z.boolean(),
  /** What is missing, in sentences. */
  missing: z.array(z.string()),
  /** Labelled by people and judged: shown to who edits the rubric, and held back from them; all other numbers are of these. */
  labels: z.object({ open: z.int(), held_back: z.int() }),
  /** Labels of another type than the judge's; items on which people disagree evenly. */
  left_out: z.object({ other_type: z.int(), tied: z.int() }),
  /** Of a boolean `true` (its recall is TPR) and `false` (TNR); of a category each value. `labels`: of both halves. */
  classes: z.array(z.object({ value: z.string(), labels: z.int(), recall: intervalSchema.nullable() })),
  confusion: z.array(z.object({ people: z.string(), judge: z.string(), items: z.int() })),
  /** Cohen's kappa; of numbers the quadratically weighted one, and ICC(2,1). */
  agreement: z.array(intervalSchema.extend({ measure: z.enum(["kappa", "weighted_kappa", "icc"]) })),
  /** Of a boolean: what people call true of their labels; what the judge does of all that it judged, and that corrected by its errors. */
  rates: z.object({ people: intervalSchema, judge: intervalSchema, corrected: intervalSchema.nullable() }).nullable(),
  /** Where they differ, of those that are not held back; of numbers the farthest first, 50 at the most. */
  differing: z.array(z.object({ trace_id: z.uuid(), people: z.string(), judge: z.string() })),
});
export type Calibration = z.infer<typeof calibrationSchema>;
