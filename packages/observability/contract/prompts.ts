import { z } from "zod";
import { jsonObjectSchema, listRequestSchema, nulRefused, timestamp, WITHOUT_NUL } from "./parts.ts";

/** Prompts of a project: versions that never change, and labels that say which of them is meant. */

export const MAX_PROMPTS = 1_000;
export const MAX_PROMPT_VERSIONS = 1_000;
/** Of template and config together, as JSON. */
export const MAX_PROMPT_CHARACTERS = 1_048_576;
const MAX_MESSAGES = 1_000;
const MAX_LABELS = 50;
/** Versions that one answer about usage tells of, newest first, and calls of each that it is made of. */
export const MAX_USED_VERSIONS = 20;
export const MAX_USED_CALLS = 10_000;

/** The label that applications read unless they ask for another; only owners move it, and API keys with the scope `production`. */
export const PRODUCTION = "production";
/** Always the newest version; nobody sets it. */
export const LATEST = "latest";

export const promptNameSchema = z
  .string()
  .max(200)
  .regex(
    /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/,
    "a prompt's name has letters, digits, '.', '_' and '-', and '/' between folders: support/greeting",
  );

const anyLabelSchema = z
  .string()
  .max(50)
  .regex(/^[a-z0-9][a-z0-9._-]*$/, "a label has small letters, digits, '.', '_' and '-': production, staging");
export const promptLabelSchema = anyLabelSchema.refine(
  (label) => label !== LATEST,
  "latest is always the newest version; choose another label",
);

const text = z.string().regex(WITHOUT_NUL, nulRefused);
export const promptMessageSchema = z.object({
  role: z.string().trim().min(1, "say whose message it is").max(50).regex(WITHOUT_NUL, nulRefused),
  content: text,
});
export type PromptMessage = z.infer<typeof promptMessageSchema>;

/** A text, or messages; `{{name}}` in either is a variable. */
export const promptTemplateSchema = z.union([text, z.array(promptMessageSchema).min(1, "give it a message").max(MAX_MESSAGES)]);
export type PromptTemplate = z.infer<typeof promptTemplateSchema>;

const VARIABLE = /\{\{\s*([A-Za-z_]\w*)\s*\}\}/g;

/** Names of the variables in a template, in the order in which they stand there first. */
export function listVariables(template: PromptTemplate): string[] {
  const texts = typeof template === "string" ? [template] : template.map(({ content }) => content);
  return [...new Set(texts.flatMap((part) => [...part.matchAll(VARIABLE)].map(([, name = ""]) => name)))];
}

export const writePromptRequestSchema = z.object({
  name: promptNameSchema,
  template: promptTemplateSchema,
  /** What belongs to it and is no text: model, parameters, tools. */
  config: jsonObjectSchema.default({}),
  /** Why it was changed. */
  reason: z.string().trim().max(1_000).regex(WITHOUT_NUL, nulRefused).default(""),
  /** Moved to the version, also where it is none of its own. */
  labels: z.array(promptLabelSchema).max(MAX_LABELS).default([]),
});
export type WritePromptRequest = z.input<typeof writePromptRequestSchema>;

const labelsSchema = z.record(z.string(), z.int());

export const promptSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  /** The newest. */
  version: z.int(),
  /** The version that each label means, without `latest`. */
  labels: labelsSchema,
  created_by: z.string(),
  created_at: timestamp,
  changed_at: timestamp,
});
export type Prompt = z.infer<typeof promptSchema>;
export const promptPageSchema = z.object({ items: z.array(promptSchema), next_cursor: z.string().nullable() });

export const listPromptsRequestSchema = listRequestSchema.extend({
  name: promptNameSchema.optional(),
  /** The beginning of a name: a folder with its slash. */
  prefix: z.string().max(200).regex(WITHOUT_NUL, nulRefused).optional(),
});

export const promptVersionSummarySchema = z.object({
  version: z.int(),
  /** A user's id, `key:` and an API key's, or `operator`. */
  author: z.string(),
  reason: z.string(),
  made_at: timestamp,
  /** Those that mean it now. */
  labels: z.array(z.string()),
});
export type PromptVersionSummary = z.infer<typeof promptVersionSummarySchema>;
export const promptVersionPageSchema = z.object({ items: z.array(promptVersionSummarySchema), next_cursor: z.null() });

export const promptVersionSchema = promptVersionSummarySchema.extend({
  prompt_id: z.uuid(),
  name: z.string(),
  template: promptTemplateSchema,
  config: jsonObjectSchema,
  variables: z.array(z.string()),
});
export type PromptVersion = z.infer<typeof promptVersionSchema>;

export const writtenPromptSchema = promptVersionSchema.extend({
  /** False where the newest version was the same already, so that none was made. */
  is_new: z.boolean(),
});
export type WrittenPrompt = z.infer<typeof writtenPromptSchema>;

export const resolvePromptRequestSchema = z.object({
  name: promptNameSchema,
  /** Without a version; `latest` is the newest. */
  label: anyLabelSchema.default(PRODUCTION),
  version: z.coerce.number().int().min(1).optional(),
});

export const putPromptLabelRequestSchema = z.object({
  label: promptLabelSchema,
  /** Null takes the label away. */
  version: z.int().min(1).nullable(),
  /** Refused unless the label means this version now; null: none. */
  expected: z.int().min(1).nullable().optional(),
});

export const promptUsageRequestSchema = z.object({
  /** Calls that began within so many days. */
  days: z.coerce.number().int().min(1).max(365).default(30),
});

/** What the newest {@link MAX_USED_CALLS} model calls that were made with a version did, of live traces. */
const promptUsageSchema = z.object({
  version: z.int(),
  traces: z.int(),
  calls: z.int(),
  failed_calls: z.int(),
  tokens: z.int().nullable(),
  /** US dollars of these calls alone. */
  cost: z.number().nullable(),
  mean_duration_ms: z.number().nullable(),
  /** Means of numbers and booleans that were given to the traces, or to these calls, by name and source. */
  scores: z.array(z.object({ name: z.string(), source: z.string(), mean: z.number(), count: z.int() })),
});
export type PromptUsage = z.infer<typeof promptUsageSchema>;
/** The newest {@link MAX_USED_VERSIONS} that were used. */
export const promptUsageListSchema = z.object({ items: z.array(promptUsageSchema), next_cursor: z.null() });

export const importedPromptsSchema = z.object({ added: z.int(), unchanged: z.int() });
