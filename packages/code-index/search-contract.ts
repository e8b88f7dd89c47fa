import { z } from "zod";
import { branchSchema } from "./branch-schema.ts";

/** Requests and answers of everything that finds code; safe to import in a browser. */

const timestamp = z.iso.datetime();

/** Where to look. Each narrows the answer and never makes it miss what is inside. */
export const filtersSchema = z.object({
  /** `owner/repo`; all repositories when left out. */
  repo: z.string().max(200).optional(),
  /** Part of the path; `*` stands for anything. */
  path: z.string().max(1000).optional(),
  lang: z.string().max(50).optional(),
  /** A branch; each repository's default one when left out. */
  ref: branchSchema.optional(),
});

/** Where in an indexed commit something is. */
const placeSchema = z.object({
  repo: z.string(),
  ref: z.string(),
  commit: z.string(),
  path: z.string(),
  start_line: z.int(),
  end_line: z.int(),
});

const cursorSchema = z.string().min(1).max(2_000);

// Search

export const legNameSchema = z.enum(["semantic", "bm25", "exact"]);
export const legStateSchema = z.object({
  state: z.enum(["ok", "skipped", "pending", "degraded", "timeout"]),
  reason: z.string().optional(),
  ms: z.number(),
  hits: z.int(),
});

/** Of a query string or a body. */
export const flagSchema = z.union([
  z.boolean(),
  z.stringbool({ truthy: ["true", "1"], falsy: ["false", "0"], error: "expected true or false" }),
]);

export const searchRequestSchema = filtersSchema.extend({
  /** Words, names, or the query language of docs/search.md. */
  query: z.string().min(1, "say what to look for").max(10_000),
  /** A name that the place defines; `*` stands for anything. */
  symbol: z.string().min(1).max(200).optional(),
  limit: z.coerce.number().int().min(1).max(50).default(10),
  /** `next_cursor` of the page before, with everything else as it was. */
  cursor: cursorSchema.optional(),
  /** Says of each result what its score is made of. */
  explain: flagSchema.optional(),
  /** A commit, or its first characters, that the index of `repo` should hold; needs `repo`. */
  min_commit: z
    .string()
    .regex(/^[0-9a-fA-F]{7,64}$/, "expected 7 to 64 hexadecimal digits")
    .optional(),
  /** Milliseconds to wait for `min_commit`. */
  wait_ms: z.coerce.number().int().min(0).max(10_000).optional(),
});
export type SearchRequest = z.infer<typeof searchRequestSchema>;

export const searchResultSchema = placeSchema.extend({
  language: z.string(),
  symbol: z.string().nullable(),
  /** The chunk's text, or its beginning. */
  content: z.string(),
  /** Line numbers (of the file) that hold a word of the query. */
  matched_lines: z.array(z.int()),
  score: z.number(),
  /** The legs that found it, with the rank in each. */
  legs: z.partialRecord(legNameSchema, z.int()),
  /** What the legs' ranks make together, and what it was multiplied with. */
  explain: z.object({ fused: z.number(), factors: z.record(z.string(), z.number()) }).optional(),
});
export type SearchResult = z.infer<typeof searchResultSchema>;

/** How new what was searched is. */
export const searchedIndexSchema = z.object({
  repo: z.string(),
  ref: z.string(),
  commit: z.string(),
  indexed_at: timestamp,
  /** Pushes received that are not searchable yet. */
  behind: z.int(),
});

export const shapeSchema = z.enum(["symbol", "path", "literal", "error", "natural", "mixed"]);

/** What was understood of a query. */
export const understoodQuerySchema = z.object({
  shape: shapeSchema,
  /** What is looked for by meaning and by words: the query without its filters. */
  text: z.string(),
  filters: z.array(z.object({ field: z.enum(["repo", "ref", "path", "lang", "symbol"]), value: z.string(), negated: z.boolean() })),
  /** What a result has to hold, or must not; those of one alternative together. */
  conditions: z.array(
    z.object({ kind: z.enum(["phrase", "regex", "word"]), value: z.string(), negated: z.boolean(), alternative: z.int() }),
  ),
  /** 1, or more where the query says OR. */
  alternatives: z.int(),
  case_sensitive: z.boolean(),
});

export const searchAnswerSchema = z.object({
  results: z.array(searchResultSchema),
  legs: z.record(legNameSchema, legStateSchema),
  reranker: z.object({ state: z.string(), reason: z.string().optional(), ms: z.number() }).optional(),
  /** The indexes that the results are of; all that were searched, when they are few. */
  index: z.array(searchedIndexSchema),
  min_commit: z.object({ commit: z.string(), reached: z.boolean(), waited_ms: z.int() }).optional(),
  /** True when looking had to stop before everything was looked at. */
  partial: z.boolean(),
  /** What whoever asked should know, in words. */
  notes: z.array(z.string()),
  next_cursor: z.string().nullable(),
  query: understoodQuerySchema,
  ms: z.number(),
});
export type SearchAnswer = z.infer<typeof searchAnswerSchema>;
