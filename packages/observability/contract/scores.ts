import { z } from "zod";
import { traceIdsSchema } from "./explore.ts";
import { listRequestSchema, nameFilter, nulRefused, timestamp, WITHOUT_NUL } from "./parts.ts";

export const SCORE_DATA_TYPES = ["number", "boolean", "category", "text"] as const;
/** Of a boolean the value is 1 or 0; categories and texts have a text instead, and no mean. */
export type ScoreDataType = (typeof SCORE_DATA_TYPES)[number];
const dataTypeSchema = z.enum(SCORE_DATA_TYPES);

const MAX_CATEGORY = 200;
const MAX_SCORE_TEXT = 4_000;

type GivenValue = {
  readonly value?: number | boolean | undefined;
  readonly text_value?: string | undefined;
  readonly data_type?: ScoreDataType | undefined;
};
/** Of a boolean the value is 1 or 0; null of categories and texts. */
export const scoreValueSchema = z.object({ data_type: dataTypeSchema, value: z.number().nullable(), text_value: z.string().nullable() });
export type ScoreValue = Readonly<z.infer<typeof scoreValueSchema>>;

/** The value as it is kept; or what is wrong with it. Without a type, a text is a category. */
export function readScoreValue({ value, text_value: text, data_type: type }: GivenValue): ScoreValue | string {
  if ((value === undefined) === (text === undefined)) {
    return "give either value, a number or boolean, or text_value";
  }
  if (text !== undefined) {
    const dataType = type ?? "category";
    if (dataType !== "category" && dataType !== "text") {
      return `a ${dataType} has a value and no text_value`;
    }
    return dataType === "category" && text.length > MAX_CATEGORY
      ? `a category has ${MAX_CATEGORY} characters at the most; longer ones are of the data_type text`
      : { value: null, text_value: text, data_type: dataType };
  }
  const number = Number(value);
  const dataType = type ?? (typeof value === "boolean" ? "boolean" : "number");
  if (dataType === "category" || dataType === "text") {
    return `a ${dataType} has a text_value and no value`;
  }
  const fits = dataType === "boolean" ? number === 0 || number === 1 : typeof value === "number";
  return fits
    ? { value: number, text_value: null, data_type: dataType }
    : `the value of a ${dataType} is ${dataType === "boolean" ? "true or false, 1 or 0" : "a number"}`;
}

export const givenScoreSchema = z.object({
  name: z.string().trim().min(1, "name the score").max(200).regex(WITHOUT_NUL, nulRefused),
  value: z.union([z.number(), z.boolean()]).optional(),
  /** Of a category or text, instead of `value`. */
  text_value: z.string().trim().min(1).max(MAX_SCORE_TEXT).regex(WITHOUT_NUL, nulRefused).optional(),
  /** Follows from the value where it is missing. */
  data_type: dataTypeSchema.optional(),
  comment: z.string().max(4000).regex(WITHOUT_NUL, nulRefused).optional(),
});

/** A value that {@link readScoreValue} refuses is 400 `invalid_score`. */
export const createScoreRequestSchema = givenScoreSchema.extend({
  trace_id: z.uuid(),
  /** Without one, the whole trace is meant. */
  observation_id: z.uuid().optional(),
});
export type CreateScoreRequest = z.infer<typeof createScoreRequestSchema>;

export const scoreTracesRequestSchema = givenScoreSchema.extend({ trace_ids: traceIdsSchema });
export type ScoreTracesRequest = z.input<typeof scoreTracesRequestSchema>;

export const scoreSchema = scoreValueSchema.extend({
  id: z.uuid(),
  trace_id: z.uuid(),
  observation_id: z.uuid().nullable(),
  name: z.string(),
  /** The explanation, where a judge or checks scored. */
  comment: z.string().nullable(),
  source: z.enum(["application", "person", "judge", "check"]),
  /** The user who gave the score here; null when it came from the application. */
  author: z.string().nullable(),
  /** The version of the evaluator that scored, and the trace of its call, which checks have not. */
  evaluator_version: z.int().nullable(),
  judge_trace_id: z.uuid().nullable(),
  /** Of a judge: whether this version agrees with people well enough to fail a gate. */
  is_calibrated: z.boolean().nullable(),
  /** Of a label: the annotation queue, which may be gone; and whether it settles labels that differed. */
  queue_id: z.uuid().nullable(),
  is_resolution: z.boolean(),
  scored_at: timestamp,
});
export type Score = z.infer<typeof scoreSchema>;

export const listScoresRequestSchema = listRequestSchema.extend({
  trace_id: z.uuid().optional(),
  name: nameFilter,
});
export const scorePageSchema = z.object({ items: z.array(scoreSchema), next_cursor: z.string().nullable() });
export type ScorePage = z.infer<typeof scorePageSchema>;
