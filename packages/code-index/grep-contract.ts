import { z } from "zod";
import { filtersSchema, flagSchema, searchedIndexSchema } from "./search-contract.ts";

/** Requests and answers of finding every line that matches a pattern; safe to import in a browser. */

export const grepCaseSchema = z.enum(["sensitive", "insensitive", "smart"]);

export const grepRequestSchema = filtersSchema.extend({
  /** A text to find letter for letter or, with `regex`, a regular expression in RE2's syntax. */
  pattern: z.string().min(1, "say what to look for").max(2_000),
  regex: flagSchema.default(false),
  /** `smart`: sensitive when the pattern has a capital letter. */
  case: grepCaseSchema.default("sensitive"),
  /** Lines shown before and after each that matches. */
  context: z.coerce.number().int().min(0).max(10).default(0),
  /** Matching lines of a page at the most. */
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  /** `next_cursor` of the page before, with everything else but `context` and `limit` as it was. */
  cursor: z.string().min(1).max(10_000).optional(),
});
export type GrepRequest = z.infer<typeof grepRequestSchema>;

export const grepMatchSchema = z.object({
  line: z.int(),
  /** The line without its end; of a very long one the part around the first match, with `…` where it is cut. */
  text: z.string(),
  /** From and to which character of `text` the matches are, the last not included. */
  ranges: z.array(z.tuple([z.int(), z.int()])),
  /** The lines before and after that no other match shows. */
  before: z.array(z.string()),
  after: z.array(z.string()),
});
export type GrepMatch = z.infer<typeof grepMatchSchema>;

export const grepFileSchema = z.object({
  repo: z.string(),
  ref: z.string(),
  commit: z.string(),
  path: z.string(),
  language: z.string(),
  matches: z.array(grepMatchSchema),
});
export type GrepFile = z.infer<typeof grepFileSchema>;

export const grepAnswerSchema = z.object({
  /** By repository and path, in the same order on every page. */
  files: z.array(grepFileSchema),
  /** Matching lines on this page. */
  matches: z.int(),
  /** Matching lines of all pages, where they could be counted in time. */
  total: z.int().nullable(),
  /** True when looking had to stop before the page was full and everything was looked at: `next_cursor` goes on. */
  partial: z.boolean(),
  reason: z.string().optional(),
  notes: z.array(z.string()),
  next_cursor: z.string().nullable(),
  /** The indexes that the files are of. */
  index: z.array(searchedIndexSchema),
  ms: z.number(),
});
export type GrepAnswer = z.infer<typeof grepAnswerSchema>;
