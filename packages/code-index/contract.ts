import { z } from "zod";
import { branchSchema } from "./branch-schema.ts";
import { revisionSchema } from "./contract/history.ts";
import { foundSymbolSchema, indexedCommitSchema, indexedFileSchema } from "./contract/search.ts";

/** Requests and answers of the code index; safe to import in a browser. */

export * from "./contract/embedding.ts";
export * from "./contract/git-hosts.ts";
export * from "./contract/webhook-hosts.ts";
export * from "./branch-schema.ts";
export * from "./contract/legs.ts";
export * from "./contract/search.ts";
export * from "./contract/symbol-kinds.ts";
export * from "./contract/history.ts";
export * from "./contract/scip.ts";
export * from "./contract/saved-searches.ts";

const timestamp = z.iso.datetime();

// Developer tokens

export const createTokenRequestSchema = z
  .object({
    label: z
      .string()
      .trim()
      .min(1, "give the token a label")
      .max(200)
      .regex(/^[^\0]*$/, "a NUL character can't be in a label"),
    /** Ids of the repositories that it opens; all of the organization's, also later ones, when left out. */
    repositories: z.array(z.uuid()).min(1, "name at least one repository, or leave the list out").max(500).optional(),
    /** Whether it opens the traces that its maker may see; when left out, a token of all repositories does, one of some does not. */
    traces: z.boolean().optional(),
    /** Whether it opens their issues and experiments too, and adds items to datasets where its maker is an editor. */
    evaluation: z.boolean().default(false),
    /** Whether it uploads SCIP indexes of those repositories, as a CI does. */
    uploads: z.boolean().default(false),
  })
  .refine(({ evaluation, traces }) => !evaluation || traces !== false, {
    path: ["evaluation"],
    message: "only with traces, which issues and experiments show",
  });
export type CreateTokenRequest = z.input<typeof createTokenRequestSchema>;

export const developerTokenSchema = z.object({
  id: z.uuid(),
  token_prefix: z.string(),
  label: z.string(),
  /** Null: every repository. */
  repositories: z.array(z.uuid()).nullable(),
  /** It opens the traces that its maker may see. */
  traces: z.boolean(),
  /** It opens issues and experiments, and adds items to datasets where its maker is an editor. */
  evaluation: z.boolean(),
  /** It uploads SCIP indexes. */
  uploads: z.boolean(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
});
export type DeveloperToken = z.infer<typeof developerTokenSchema>;

/** The only answer that ever holds the token itself. */
export const createdTokenSchema = developerTokenSchema
  .pick({ id: true, token_prefix: true, label: true, repositories: true, traces: true, evaluation: true, uploads: true, created_at: true })
  .extend({
    token: z.string(),
  });
export type CreatedToken = z.infer<typeof createdTokenSchema>;

// Repositories and jobs

export const jobStatusSchema = z.enum(["queued", "running", "succeeded", "failed", "cancelled"]);
export const jobTriggerSchema = z.enum(["api", "webhook", "poll", "registration", "retry", "settings"]);
export const indexStatusSchema = z.enum(["pending", "indexing", "ready", "failed"]);
export const indexModeSchema = z.enum(["full", "incremental"]);

export const jobSchema = z.object({
  job_id: z.uuid(),
  repo_id: z.uuid(),
  full_name: z.string(),
  status: jobStatusSchema,
  mode: indexModeSchema,
  trigger: jobTriggerSchema,
  /** The branch; null means the default one. */
  ref: z.string().nullable(),
  commit: z.string().nullable(),
  attempt: z.int(),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  completed_at: timestamp.nullable(),
  error_message: z.string().nullable(),
  /** `total` is 0 while it is not known; `rate` is what is done in a second. */
  progress: z.object({ phase: z.string(), done: z.int(), total: z.int(), rate: z.number().nullable() }),
});
export type Job = z.infer<typeof jobSchema>;

const branchesSchema = z.array(branchSchema).max(20, "at most 20 branches beside the default one");

const patternSchema = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[^\0\r\n]*$/, "a pattern is one line, as in .gitignore");
const patternsSchema = z.array(patternSchema).max(200, "at most 200 patterns");

const settingsSchema = z.object({
  /** Branches that are indexed beside the default one. */
  branches: branchesSchema,
  /** Patterns as in .gitignore; when there are any, only the paths they match are indexed. */
  include: patternsSchema,
  /** Patterns as in .gitignore of paths that are not indexed. */
  exclude: patternsSchema,
  /** The credential to fetch with; null: that of its host, if there is one. */
  credential_id: z.uuid().nullable(),
  /** Signs this repository's webhook instead of the server's secret; null takes it away. */
  webhook_secret: z.string().min(16, "expected at least 16 characters").max(200).nullable(),
});

export const registerRepositoryRequestSchema = z.object({
  full_name: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_.-]+)+$/, "expected owner/repo, or group/sub/project"),
  /** Where git fetches from; `https://github.com/<full_name>.git` when left out. */
  clone_url: z.string().max(2000).optional(),
  /** False: nothing is indexed until `POST /api/v1/repos/{repo_id}/index`, as to look at the preview first. */
  index: z.boolean().default(true),
  ...settingsSchema.partial().shape,
});
export type RegisterRepositoryRequest = z.input<typeof registerRepositoryRequestSchema>;

/** What is left out stays as it is; a change of what is indexed starts a job. */
export const changeRepositoryRequestSchema = settingsSchema.partial().extend({ clone_url: z.string().max(2000).optional() });
export type ChangeRepositoryRequest = z.input<typeof changeRepositoryRequestSchema>;

export const refSchema = z.object({
  name: z.string(),
  is_default: z.boolean(),
  indexed_commit: z.string().nullable(),
  indexed_at: timestamp.nullable(),
  files: z.int(),
  chunks: z.int(),
  /** Pushes received that are not searchable yet. */
  behind: z.int(),
});
export type Ref = z.infer<typeof refSchema>;

export const legReadinessSchema = z.object({ state: z.enum(["ready", "pending", "degraded"]), reason: z.string().optional() });

export const repositorySchema = z.object({
  id: z.uuid(),
  full_name: z.string(),
  clone_url: z.string(),
  default_branch: z.string().nullable(),
  index_status: indexStatusSchema,
  /** The default branch's, as are the numbers that follow. */
  indexed_commit: z.string().nullable(),
  indexed_at: timestamp.nullable(),
  /** Pushes received that are not searchable yet. */
  behind: z.int(),
  files: z.int(),
  chunks: z.int(),
  /** The default branch first, then by name. */
  refs: z.array(refSchema),
  /** What each leg can find of it. */
  legs: z.object({ semantic: legReadinessSchema, bm25: legReadinessSchema, exact: legReadinessSchema }),
  branches: z.array(z.string()),
  include: z.array(z.string()),
  exclude: z.array(z.string()),
  credential_id: z.uuid().nullable(),
  /** Whether its webhook has a secret of its own. */
  has_webhook_secret: z.boolean(),
  last_error: z.string().nullable(),
  created_at: timestamp,
});
export type Repository = z.infer<typeof repositorySchema>;

export const startIndexRequestSchema = z.object({ mode: z.string().default("incremental"), ref: branchSchema.optional() });
export const startedJobSchema = z.object({ job: jobSchema });

/** What would be indexed of a repository's newest commit. */
export const previewSchema = z.object({
  commit: z.string(),
  files: z.int(),
  bytes: z.int(),
  chunks: z.int(),
  /** What a language model would read the indexed text as, about. */
  tokens: z.int(),
  skipped: z.int(),
  languages: z.array(z.object({ language: z.string(), files: z.int(), bytes: z.int(), chunks: z.int() })),
  /** The files with the most chunks. */
  biggest: z.array(z.object({ path: z.string(), bytes: z.int(), chunks: z.int() })),
  /** Reasons with how many files each leaves out, and a few of them. */
  skip_reasons: z.array(z.object({ reason: z.string(), files: z.int(), examples: z.array(z.string()) })),
});
export type Preview = z.infer<typeof previewSchema>;

/** `pending` is answered with 202: ask again in a second. */
export const previewAnswerSchema = z.object({
  status: z.enum(["pending", "ready", "failed"]),
  completed_at: timestamp.nullable(),
  preview: previewSchema.nullable(),
  error_message: z.string().nullable(),
});
export type PreviewAnswer = z.infer<typeof previewAnswerSchema>;

export const coverageRequestSchema = z.object({ path: z.string().min(1).max(4096), ref: branchSchema.optional() });

/** Whether a file is searchable, and if not why. */
export const coverageSchema = z.object({
  path: z.string(),
  ref: z.string(),
  commit: z.string(),
  state: z.enum(["indexed", "skipped", "absent"]),
  /** Why it is skipped, or what is known instead of an absent path. */
  reason: z.string().nullable(),
  language: z.string().nullable(),
  bytes: z.int().nullable(),
  chunks: z.int(),
  /** Chunks with a vector of the embedder in use. */
  embedded: z.int(),
  similar: z.array(z.string()),
});
export type Coverage = z.infer<typeof coverageSchema>;

// Files

export const fileRequestSchema = z.object({
  path: z.string().min(1).max(4096),
  ref: branchSchema.optional(),
  /** The file as it was at that commit; as it is indexed when left out. */
  commit: revisionSchema.optional(),
  start: z.coerce.number().int().min(1).optional(),
  end: z.coerce.number().int().min(1).optional(),
});
export type FileRequest = z.infer<typeof fileRequestSchema>;

export const lineHistoryRequestSchema = fileRequestSchema.extend({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().min(1).max(2_000).optional(),
});
export type LineHistoryRequest = z.infer<typeof lineHistoryRequestSchema>;

export const fileSchema = indexedFileSchema.extend({
  start_line: z.int(),
  end_line: z.int(),
  total_lines: z.int(),
  /** Its encoding; left out for UTF-8 and what has a mark. A guess unless `.gitattributes` says it. */
  encoding: z.object({ name: z.string(), guessed: z.boolean() }).optional(),
  content: z.string(),
  /** True when lines asked for were left out because of the size limit. */
  truncated: z.boolean(),
});
export type SourceFile = z.infer<typeof fileSchema>;

export const outlineRequestSchema = fileRequestSchema.pick({ path: true, ref: true });

/** What a file defines, from top to bottom. */
export const outlineSchema = indexedFileSchema.extend({
  symbols: z.array(foundSymbolSchema.pick({ name: true, kind: true, scope: true, start_line: true, end_line: true })),
  /** Names that it uses and that its repository defines, so that they can be followed. */
  names: z.array(z.string()),
});
export type Outline = z.infer<typeof outlineSchema>;

export const treeRequestSchema = z.object({ ref: branchSchema.optional() });

/** Every path of the indexed commit. */
export const treeSchema = indexedCommitSchema.extend({
  files: z.array(z.object({ path: z.string(), language: z.string(), lines: z.int() })),
});
export type Tree = z.infer<typeof treeSchema>;

/** A page of a list; `next_cursor` is null on the last one. */
export function toPageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() });
}
