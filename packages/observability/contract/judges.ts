import { z } from "zod";
import { checksSchema, ITEM_CHECKS } from "./checks.ts";
import { modelName } from "./models.ts";
import { listRequestSchema, nulRefused, timestamp, WITHOUT_NUL } from "./parts.ts";
import { scoreValueSchema } from "./scores.ts";

/** Evaluators, which traces they judge, and what became of each. */

export const JUDGED_PARTS = ["trace", "step", "session", "run"] as const;
export const MAX_EVALUATORS_OF_PROJECT = 100;
export const MAX_RULES_OF_EVALUATOR = 100;
/** Traces of the past that one rule chooses. */
export const MAX_PAST = 10_000;
/** Traces that a draft of an evaluator is tried on. */
export const TRIED_TRACES = 20;
const MAX_RUBRIC = 20_000;
/** Of a rubric, and how often it names them all together: each time their texts stand in the prompt. */
const MAX_VARIABLES = 20;

const words = (most: number) => z.string().trim().min(1).max(most).regex(WITHOUT_NUL, nulRefused);
const pointer = z
  .string()
  .max(500)
  .regex(/^(?:\/[^\0]*)?$/, "a path is a JSON pointer such as /output/answer, or empty for all of it");

/**
 * What stands for `{{name}}` in the rubric. A trace has `/input`, `/output`, `/error`, `/metadata`, `/name` and `/tools`; a step, the last of its
 * name, has the first three; a session is the list of what was said so far; a run has `/input`, `/expected`, `/output` and `/metadata`, and of two runs
 * that are compared `/first` and `/second` are what they put out.
 */
const variableSchema = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,49}$/, "a variable has small letters, digits and _"),
  of: z.enum(JUDGED_PARTS),
  step: words(500).nullable().default(null),
  path: pointer.default(""),
});
export type JudgeVariable = z.output<typeof variableSchema>;

export const judgeOutputSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("number"), minimum: z.number().default(0), maximum: z.number().default(1) }),
  z.object({ type: z.literal("boolean") }),
  /** Which of two runs is better: the first, the second, or neither. It is asked twice, sides swapped. */
  z.object({ type: z.literal("preference") }),
  z.object({ type: z.literal("category"), categories: z.array(words(200)).min(2, "a category has at least two values").max(50) }),
]);
export type JudgeOutput = z.output<typeof judgeOutputSchema>;

// Blanks are taken off afterwards: an expression that looks for them takes hours for thousands of them.
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

export function listPlaceholders(rubric: string): readonly string[] {
  return [...new Set(Array.from(rubric.matchAll(PLACEHOLDER), ([, name = ""]) => name.trim()))];
}

/** Puts in the place of each `{{name}}` what `fill` gives for it. */
export function fillPlaceholders(rubric: string, fill: (name: string) => string): string {
  return rubric.replaceAll(PLACEHOLDER, (_all, name: string) => fill(name.trim()));
}

export const judgeDefinitionSchema = z
  .object({
    kind: z.literal("judge").optional(),
    connection_id: z.uuid(),
    model: modelName,
    rubric: words(MAX_RUBRIC),
    variables: z.array(variableSchema).max(MAX_VARIABLES),
    /** More is better, and true is good. */
    output: judgeOutputSchema,
    /** Null: as the model has it; some take none. */
    temperature: z.number().min(0).max(2).nullable().default(null),
    max_tokens: z.int().min(50).max(16_000).default(1_000),
  })
  .superRefine(({ rubric, variables, output }, context) => {
    const told = variables.map(({ name }) => name);
    const used = listPlaceholders(rubric);
    const add = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    used.filter((name) => !told.includes(name)).forEach((name) => add("rubric", `{{${name}}} is no variable; say what it is of`));
    told.filter((name) => !used.includes(name)).forEach((name) => add("variables", `the rubric has no {{${name}}}`));
    if ([...rubric.matchAll(PLACEHOLDER)].length > MAX_VARIABLES) {
      add("rubric", `the rubric names variables at most ${MAX_VARIABLES} times`);
    }
    if (output.type === "category" && new Set(output.categories).size < output.categories.length) {
      add("output", "two categories are the same");
    }
    if (used.length === 0) {
      add("rubric", "the rubric names nothing of what is judged; put {{output}} where it is to stand");
    }
    if (new Set(told).size < told.length) {
      add("variables", "two variables have one name");
    }
    if (variables.some(({ of, step }) => (of === "step") !== (step !== null))) {
      add("variables", "a variable of a step says the step's name, and no other does");
    }
    if (
      output.type === "preference" &&
      ["/first", "/second"].some((path) => !variables.some((each) => each.of === "run" && each.path === path))
    ) {
      add("variables", "a preference is told by {{first}} and {{second}}, which are /first and /second of the run");
    }
    if (output.type === "number" && output.minimum >= output.maximum) {
      add("output", "the range is empty");
    }
  });
export type JudgeDefinition = z.output<typeof judgeDefinitionSchema>;
export type JudgeDefinitionInput = z.input<typeof judgeDefinitionSchema>;

/** Without a model: true where all of them hold. */
const checksDefinitionSchema = z.strictObject({ kind: z.literal("checks"), checks: checksSchema.min(1, "add a check") });
/** A judge unless it says that it is checks. */
const definitionSchema = z.discriminatedUnion("kind", [judgeDefinitionSchema, checksDefinitionSchema]);
export type EvaluatorDefinition = z.output<typeof definitionSchema>;

export type EvaluatorSource = "judge" | "check";
export const sourceOf = ({ kind }: EvaluatorDefinition): EvaluatorSource => (kind === "checks" ? "check" : "judge");

export function outputOf(definition: EvaluatorDefinition): JudgeOutput {
  return definition.kind === "checks" ? { type: "boolean" } : definition.output;
}

export const createEvaluatorRequestSchema = z
  .object({ name: words(200), definition: definitionSchema })
  .refine(({ name, definition: { kind } }) => kind !== "checks" || name !== ITEM_CHECKS, {
    path: ["name"],
    message: `${ITEM_CHECKS} is the score of items' own checks; choose another name`,
  });
export const createEvaluatorVersionRequestSchema = z.object({ definition: definitionSchema });

export const JUDGEMENT_STATES = ["waiting", "judged", "skipped", "failed", "over_budget"] as const;
export type JudgementState = (typeof JUDGEMENT_STATES)[number];
/** How many traces or runs were chosen, by what became of them. */
const countsSchema = z.record(z.enum(JUDGEMENT_STATES), z.int());
export type JudgementCounts = z.infer<typeof countsSchema>;

export const RULE_KINDS = ["live", "past", "experiment"] as const;
export const judgeRuleSchema = z.object({
  id: z.uuid(),
  kind: z.enum(RULE_KINDS),
  q: z.string(),
  experiment_id: z.uuid().nullable(),
  /** The experiment that it is compared with, where preferences are judged. */
  baseline_id: z.uuid().nullable(),
  sampling: z.number(),
  /** Dollars of a day; of the past and of an experiment, in all. Null: as much as it takes. */
  budget: z.number().nullable(),
  is_active: z.boolean(),
  /** Live: why its query can't be answered; a rule of which that is so for a day is switched off. */
  problem: z.string().nullable(),
  created_by: z.string(),
  created_at: timestamp,
  counts: countsSchema,
  /** Live traces that it has not looked at: their words are not read yet, or its query can't be answered. */
  undecided: z.int(),
  /** Dollars, of today; of the past and of an experiment, in all. With what is reserved for calls that have not ended. */
  spent: z.number(),
});
export type JudgeRule = z.infer<typeof judgeRuleSchema>;

export const evaluatorVersionSchema = z.object({
  version: z.int(),
  definition: definitionSchema,
  author: z.string(),
  made_at: timestamp,
});
export const judgeSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  version: z.int(),
  /** Whether this version agrees with people well enough to fail a gate; null of checks. */
  is_calibrated: z.boolean().nullable(),
  created_by: z.string(),
  created_at: timestamp,
  /** The newest version's. */
  definition: definitionSchema,
  counts: countsSchema,
  /** Dollars, by all its rules. */
  spent_today: z.number(),
});
export type Judge = z.infer<typeof judgeSchema>;
export const judgeListSchema = z.object({ items: z.array(judgeSchema), next_cursor: z.null() });
export const judgeDetailSchema = judgeSchema.extend({
  /** Newest first. */
  versions: z.array(evaluatorVersionSchema),
  rules: z.array(judgeRuleSchema),
});
export type JudgeDetail = z.infer<typeof judgeDetailSchema>;

const budget = z.number().min(0.01, "a budget is at least 1 cent").max(100_000).nullable();
const sampling = z.number().gt(0).max(1);
const q = z.string().max(1_000).regex(WITHOUT_NUL, nulRefused);

export const createJudgeRuleRequestSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("live"), q: q.default(""), sampling: sampling.default(1), budget }),
  z.object({ kind: z.literal("past"), q: q.default(""), size: z.int().min(1).max(MAX_PAST), budget }),
  z.object({ kind: z.literal("experiment"), experiment_id: z.uuid(), baseline_id: z.uuid().nullable().default(null), budget }),
]);
export type CreateJudgeRuleRequest = z.input<typeof createJudgeRuleRequestSchema>;
/** Switches a live rule on or off, or cancels one that is not done. */
export const changeJudgeRuleRequestSchema = z.object({ is_active: z.boolean(), budget: budget.optional() });

export const judgementSchema = z.object({
  rule_id: z.uuid(),
  /** The trace; of a run `item repetition attempt`, of a pair followed by `swapped` where the baseline's comes first. */
  subject: z.string(),
  trace_id: z.uuid().nullable(),
  experiment_id: z.uuid().nullable(),
  state: z.enum(JUDGEMENT_STATES),
  reason: z.string().nullable(),
  version: z.int().nullable(),
  tries: z.int(),
  cost: z.number(),
  judge_trace_id: z.uuid().nullable(),
  /** Null unless it is judged. A preference is `candidate`, `baseline` or `tie`. */
  score: scoreValueSchema.nullable(),
  explanation: z.string().nullable(),
  chosen_at: timestamp,
  ended_at: timestamp.nullable(),
});
export type Judgement = z.infer<typeof judgementSchema>;
export const listJudgementsRequestSchema = listRequestSchema.extend({
  rule_id: z.uuid().optional(),
  state: z.enum(JUDGEMENT_STATES).optional(),
});
export const judgementPageSchema = z.object({ items: z.array(judgementSchema), next_cursor: z.string().nullable() });
export type JudgementPage = z.infer<typeof judgementPageSchema>;
export const madeUpSchema = z.object({ waiting: z.int() });

/** The cost of judging traces that have ended, told before. */
export const estimateJudgingRequestSchema = z.object({
  definition: definitionSchema,
  q: q.default(""),
  size: z.int().min(1).max(MAX_PAST).default(TRIED_TRACES),
});
export const estimatedJudgingSchema = z.object({
  /** How many traces the query finds, and how many of them are chosen. */
  matching: z.int(),
  chosen: z.int(),
  /** The first 20 of those that are chosen. */
  trace_ids: z.array(z.uuid()),
  /** Dollars: about, and what would be reserved for all of them. Null: the model has no price. */
  about: z.number().nullable(),
  at_most: z.number().nullable(),
});
export type EstimatedJudging = z.infer<typeof estimatedJudgingSchema>;

export const tryEvaluatorRequestSchema = z.object({ definition: definitionSchema, trace_id: z.uuid() });
export const triedEvaluatorSchema = z.object({
  state: z.enum(["judged", "skipped", "failed"]),
  reason: z.string().nullable(),
  score: scoreValueSchema.nullable(),
  explanation: z.string().nullable(),
  /** Dollars; null: the model has no price. */
  cost: z.number().nullable(),
  judge_trace_id: z.uuid().nullable(),
});
export type TriedEvaluator = z.infer<typeof triedEvaluatorSchema>;
