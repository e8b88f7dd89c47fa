import { z } from "zod";
import { nulRefused, timestamp, WITHOUT_NUL } from "./parts.ts";
import { SCORE_DATA_TYPES, type ScoreValue } from "./scores.ts";

/** What the scores of a name mean, and which values people and API keys may give. */

export const MAX_SCORE_CONFIGS = 200;
const MAX_CATEGORIES = 100;

const scoreName = z.string().trim().min(1, "name the score").max(200).regex(WITHOUT_NUL, nulRefused);

export const putScoreConfigRequestSchema = z
  .object({
    name: scoreName,
    data_type: z.enum(SCORE_DATA_TYPES).default("number"),
    /** Which values are better; null where neither is. */
    direction: z.enum(["higher", "lower"]).nullable().default(null),
    /** Of numbers: the least and the greatest that is taken. */
    minimum: z.number().nullable().default(null),
    maximum: z.number().nullable().default(null),
    /** Of a category: all that are taken; without any, every text is. */
    categories: z
      .array(z.string().trim().min(1).max(200).regex(WITHOUT_NUL, nulRefused))
      .max(MAX_CATEGORIES, `a score has at most ${MAX_CATEGORIES} categories`)
      .default([]),
    /** What is to be reached. */
    target: z.number().nullable().default(null),
  })
  .superRefine((config, context) => {
    for (const [path, message] of problemsOf(config)) {
      context.addIssue({ code: "custom", message, path: [path] });
    }
  });
export type PutScoreConfigRequest = z.input<typeof putScoreConfigRequestSchema>;
type Config = Omit<z.infer<typeof putScoreConfigRequestSchema>, "name">;

export const scoreConfigNameSchema = z.object({ name: scoreName });
export const scoreConfigSchema = putScoreConfigRequestSchema.safeExtend({
  changed_at: timestamp,
  /** A user's id, or `operator`. */
  changed_by: z.string(),
});
export type ScoreConfig = z.infer<typeof scoreConfigSchema>;
/** By name. */
export const scoreConfigListSchema = z.object({ items: z.array(scoreConfigSchema), next_cursor: z.null() });

function problemsOf({ data_type: type, minimum, maximum, categories, target, direction }: Config): readonly (readonly [string, string])[] {
  const isNumber = type === "number";
  return [
    ...(!isNumber && (minimum !== null || maximum !== null) ? ([["minimum", "only numbers have a range"]] as const) : []),
    ...(minimum !== null && maximum !== null && minimum > maximum ? ([["maximum", "the range is empty"]] as const) : []),
    ...(type !== "category" && categories.length > 0 ? ([["categories", "only a category has categories"]] as const) : []),
    ...(!isNumber && type !== "boolean" && (target !== null || direction !== null)
      ? ([["direction", `a ${type} has no direction and no target`]] as const)
      : []),
  ];
}

/** What is wrong with a value by the config of its name; undefined when it fits. */
export function findMisfit({ data_type: type, minimum, maximum, categories }: Config, given: ScoreValue): string | undefined {
  if (given.data_type !== type) {
    return `its type is ${type}, and a ${given.data_type} was given`;
  }
  const { value, text_value: text } = given;
  if (value !== null && ((minimum !== null && value < minimum) || (maximum !== null && value > maximum))) {
    return `its value is from ${minimum ?? "any number"} to ${maximum ?? "any number"}`;
  }
  return text !== null && categories.length > 0 && !categories.includes(text) ? `it is one of ${categories.join(", ")}` : undefined;
}
