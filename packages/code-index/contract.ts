import { z } from "zod";

/** Requests and answers of the code index; safe to import in a browser. */

const timestamp = z.iso.datetime();

// Developer tokens

export const createTokenRequestSchema = z.object({
  label: z
    .string()
    .trim()
    .min(1, "give the token a label")
    .max(200)
    .regex(/^[^\0]*$/, "a NUL character can't be in a label"),
});
export type CreateTokenRequest = z.infer<typeof createTokenRequestSchema>;

export const developerTokenSchema = z.object({
  id: z.uuid(),
  token_prefix: z.string(),
  label: z.string(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
});
export type DeveloperToken = z.infer<typeof developerTokenSchema>;

/** The only answer that ever holds the token itself. */
export const createdTokenSchema = developerTokenSchema.pick({ id: true, token_prefix: true, label: true, created_at: true }).extend({
  token: z.string(),
});
export type CreatedToken = z.infer<typeof createdTokenSchema>;

// Repositories and jobs

export const jobStatusSchema = z.enum(["queued", "running", "succeeded", "failed", "cancelled"]);
export const indexStatusSchema = z.enum(["pending", "indexing", "ready", "failed"]);
export const indexModeSchema = z.enum(["full", "incremental"]);

export const jobSchema = z.object({
  job_id: z.uuid(),
  repo_id: z.uuid(),
  full_name: z.string(),
  status: jobStatusSchema,
  mode: indexModeSchema,
  trigger: z.enum(["api", "webhook", "poll", "registration", "retry"]),
  commit: z.string().nullable(),
  attempt: z.int(),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  completed_at: timestamp.nullable(),
  error_message: z.string().nullable(),
  progress: z.object({ phase: z.string(), done: z.int(), total: z.int() }),
});
export type Job = z.infer<typeof jobSchema>;

export const registerRepositoryRequestSchema = z.object({
  full_name: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*\/[A-Za-z0-9_.-]+$/, "expected owner/repo"),
  /** Where git fetches from; `https://github.com/<full_name>.git` when left out. */
  clone_url: z.string().max(2000).optional(),
});
export type RegisterRepositoryRequest = z.infer<typeof registerRepositoryRequestSchema>;

export const repositorySchema = z.object({
  id: z.uuid(),
  full_name: z.string(),
  clone_url: z.string(),
  default_branch: z.string().nullable(),
  index_status: indexStatusSchema,
  indexed_commit: z.string().nullable(),
  indexed_at: timestamp.nullable(),
  /** Pushes received that are not searchable yet. */
  behind: z.int(),
  files: z.int(),
  chunks: z.int(),
  last_error: z.string().nullable(),
  created_at: timestamp,
});
export type Repository = z.infer<typeof repositorySchema>;

export const startIndexRequestSchema = z.object({ mode: z.string().default("incremental") });
export const startedJobSchema = z.object({ job: jobSchema });

// Search

export const legNameSchema = z.enum(["semantic", "bm25", "exact"]);
export const legStateSchema = z.object({
  state: z.enum(["ok", "skipped", "pending", "degraded", "timeout"]),
  reason: z.string().optional(),
  ms: z.number(),
  hits: z.int(),
});

export const searchRequestSchema = z.object({
  query: z.string().min(1, "say what to look for").max(10_000),
  repo: z.string().max(200).optional(),
  path: z.string().max(1000).optional(),
  lang: z.string().max(50).optional(),
  limit: z.coerce.number().int().min(1).max(50).default(10),
});
export type SearchRequest = z.infer<typeof searchRequestSchema>;

export const searchResultSchema = z.object({
  repo: z.string(),
  commit: z.string(),
  path: z.string(),
  language: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  symbol: z.string().nullable(),
  /** The chunk's text, or its beginning. */
  content: z.string(),
  /** Line numbers (of the file) that hold a word of the query. */
  matched_lines: z.array(z.int()),
  score: z.number(),
  /** The legs that found it, with the rank in each. */
  legs: z.partialRecord(legNameSchema, z.int()),
});
export type SearchResult = z.infer<typeof searchResultSchema>;

export const searchAnswerSchema = z.object({
  results: z.array(searchResultSchema),
  legs: z.record(legNameSchema, legStateSchema),
  ms: z.number(),
});
export type SearchAnswer = z.infer<typeof searchAnswerSchema>;

export const fileRequestSchema = z.object({
  path: z.string().min(1).max(4096),
  start: z.coerce.number().int().min(1).optional(),
  end: z.coerce.number().int().min(1).optional(),
});

export const fileSchema = z.object({
  repo: z.string(),
  commit: z.string(),
  path: z.string(),
  language: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  total_lines: z.int(),
  content: z.string(),
  /** True when lines asked for were left out because of the size limit. */
  truncated: z.boolean(),
});
export type SourceFile = z.infer<typeof fileSchema>;

/** Every path of the indexed commit. */
export const treeSchema = z.object({
  repo: z.string(),
  commit: z.string(),
  files: z.array(z.object({ path: z.string(), language: z.string(), lines: z.int() })),
});
export type Tree = z.infer<typeof treeSchema>;

/** A page of a list; `next_cursor` is null on the last one. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() });
}
