import { z } from "zod";
import { branchSchema } from "./branch-schema.ts";

/** Definitions of names and where they are used; safe to import in a browser. */

/** Where to look; each narrows the answer. */
const whereShape = {
  /** `owner/repo`; all repositories when left out. */
  repo: z.string().max(200).optional(),
  /** Part of the path; `*` stands for anything. */
  path: z.string().max(1000).optional(),
  lang: z.string().max(50).optional(),
  /** A branch; each repository's default one when left out. */
  ref: branchSchema.optional(),
  cursor: z.string().min(1).max(2_000).optional(),
};

/** What a definition is, as its language's grammar has it. */
export const symbolKindSchema = z.enum(["function", "method", "class", "interface", "type", "enum", "constant", "module", "macro"]);

export const symbolsRequestSchema = z.object({
  /** A name, or with what it is inside of: `Server.start`, `Server::start`. */
  name: z.string().min(1, "name a symbol").max(500),
  kind: symbolKindSchema.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(20),
  ...whereShape,
});
export type SymbolsRequest = z.infer<typeof symbolsRequestSchema>;

export const foundSymbolSchema = z.object({
  repo: z.string(),
  ref: z.string(),
  commit: z.string(),
  path: z.string(),
  language: z.string(),
  name: z.string(),
  kind: z.string(),
  /** The definitions it is inside of, from the outermost: `Server › start`. */
  scope: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  /** How its definition begins. */
  signature: z.string(),
});
export type FoundSymbol = z.infer<typeof foundSymbolSchema>;

export const symbolsAnswerSchema = z.object({
  symbols: z.array(foundSymbolSchema),
  total: z.int(),
  /** True when there are more than were looked at. */
  partial: z.boolean(),
  notes: z.array(z.string()),
  next_cursor: z.string().nullable(),
  ms: z.number(),
});
export type SymbolsAnswer = z.infer<typeof symbolsAnswerSchema>;

export const referencesRequestSchema = z.object({
  /** A name, or with what it is inside of, whose users come first then: `Server.start`. */
  symbol: z.string().min(1, "name a symbol").max(500),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  ...whereShape,
});
export type ReferencesRequest = z.infer<typeof referencesRequestSchema>;

export const foundReferenceSchema = z.object({
  repo: z.string(),
  ref: z.string(),
  commit: z.string(),
  path: z.string(),
  language: z.string(),
  line: z.int(),
  /** The line, or the part of it around the name. */
  text: z.string(),
  /** What the line does with the name, as far as the line tells. */
  kind: z.enum(["call", "import", "use"]),
  /** The innermost definition that the line is inside of. */
  within: z.string().nullable(),
});
export type FoundReference = z.infer<typeof foundReferenceSchema>;

export const referencesAnswerSchema = z.object({
  /** Of the name, the nearest first; ten at the most. */
  definitions: z.array(foundSymbolSchema),
  references: z.array(foundReferenceSchema),
  /** Null when there are too many files to count their lines. */
  total: z.int().nullable(),
  /** Files that use the name. */
  files_total: z.int(),
  /** True when there are more files than were looked at. */
  partial: z.boolean(),
  notes: z.array(z.string()),
  next_cursor: z.string().nullable(),
  ms: z.number(),
});
export type ReferencesAnswer = z.infer<typeof referencesAnswerSchema>;
