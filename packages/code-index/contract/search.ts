import { z } from "zod";
import { symbolKindSchema, useKindSchema } from "./symbol-kinds.ts";
import { legNameSchema, legStateSchema } from "./legs.ts";
import { branchSchema } from "#branch-schema.ts";

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

/** The commit of a branch that an answer is of. */
export const indexedCommitSchema = z.object({ repo: z.string(), ref: z.string(), commit: z.string() });

/** A file of it. */
export const indexedFileSchema = indexedCommitSchema.extend({ path: z.string(), language: z.string() });

/** `exact`: an uploaded SCIP index says that it is this very symbol, in a file that has not changed since. `name`: it is called so. */
export const precisionSchema = z.enum(["exact", "name"]);
export type Precision = z.infer<typeof precisionSchema>;

/** Where in the code the name stands that is asked for: only that very symbol is meant, as far as a SCIP index of the file or its syntax tells. */
const positionFields = {
  /** `path:line` or `path:line:column`, both from 1, of a file of `repo`, or of `position_repo`, on the branch asked for. */
  position: z.string().max(4_200).optional(),
  position_repo: z.string().max(200).optional(),
};

const cursorSchema = z.string().min(1).max(2_000);

/** How an answer of several pages ends. */
export const answerTail = { notes: z.array(z.string()), next_cursor: z.string().nullable(), ms: z.number() };

// Search

/** A flag in a query string or a body. */
export const flagSchema = z.union([
  z.boolean(),
  z.stringbool({ truthy: ["true", "1"], falsy: ["false", "0"], error: "expected true or false" }),
]);

/** What a file is for, as its path has it. */
export const fileKindSchema = z.enum(["source", "test", "example", "declaration", "document", "data", "generated", "vendored"]);
export type FileKind = z.infer<typeof fileKindSchema>;

export const searchRequestSchema = filtersSchema.extend({
  /** Words, names, or the query language of docs/search.md. */
  query: z.string().min(1, "say what to look for").max(10_000),
  /** A name that the place defines; `*` stands for anything. */
  symbol: z.string().min(1).max(200).optional(),
  /** Keeps only those of the ranked places that are in files of this kind. */
  kind: fileKindSchema.optional(),
  limit: z.coerce.number().int().min(1).max(50).default(10),
  /** One result a file, its best place; `also` names the others. */
  one_per_file: flagSchema.optional(),
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

export const searchResultSchema = indexedCommitSchema.extend({
  path: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  language: z.string(),
  symbol: z.string().nullable(),
  /** With `one_per_file`: the other places of the file, from the first line to the last; those that adjoin are one. */
  also: z.array(z.object({ start_line: z.int(), end_line: z.int() })).optional(),
  /** The chunk's text, or its beginning. */
  content: z.string(),
  /** Line numbers (of the file) that hold a word of the query. */
  matched_lines: z.array(z.int()),
  /** Of each of those lines, from and to which character what was found is, the last not included. */
  matched_ranges: z.array(z.array(z.tuple([z.int(), z.int()]))),
  score: z.number(),
  /** The legs that found it, with the rank in each. */
  legs: z.partialRecord(legNameSchema, z.int()),
  /** What the legs' ranks make together, what it was multiplied with, and which of the query's words the commits that changed its file say. */
  explain: z.object({ fused: z.number(), factors: z.record(z.string(), z.number()), commits_say: z.array(z.string()) }).optional(),
});
export type SearchResult = z.infer<typeof searchResultSchema>;

/** How new what was searched is. */
export const searchedIndexSchema = indexedCommitSchema.extend({
  indexed_at: timestamp,
  /** Pushes received that are not searchable yet. */
  behind: z.int(),
});

export const shapeSchema = z.enum(["symbol", "path", "literal", "error", "natural", "mixed", "report"]);

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

/** How many places have a value, the most first. */
const facetSchema = z.array(z.object({ value: z.string(), count: z.int() }));
export type Facet = z.infer<typeof facetSchema>;

export const searchAnswerSchema = z.object({
  results: z.array(searchResultSchema),
  /** How many places are ranked, on all pages together; `capped` when more were found than are. */
  ranked: z.object({ places: z.int(), capped: z.boolean() }),
  /** What the ranked places are of, at most twelve values each; those of `kind` are of all kinds, also where one was asked for. */
  facets: z.object({ repo: facetSchema, lang: facetSchema, path: facetSchema, kind: facetSchema }),
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

// Grep

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

export const grepFileSchema = indexedFileSchema.extend({
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

// Symbols

export const symbolsRequestSchema = z.object({
  /** A name, or with what it is inside of: `Server.start`, `Server::start`. */
  name: z.string().min(1, "name a symbol").max(500),
  kind: symbolKindSchema.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(20),
  ...filtersSchema.shape,
  ...positionFields,
  cursor: cursorSchema.optional(),
});
export type SymbolsRequest = z.infer<typeof symbolsRequestSchema>;

export const foundSymbolSchema = indexedFileSchema.extend({
  name: z.string(),
  kind: z.string(),
  /** The definitions it is inside of, from the outermost: `Server › start`. */
  scope: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  /** How its definition begins. */
  signature: z.string(),
  /** The comment that belongs to it, without its marks; empty where there is none. */
  comment: z.string(),
  precision: precisionSchema,
  /** Why syntax takes it for what stands at the position, where no uploaded index knows; null otherwise. */
  reason: z.string().nullable(),
});
export type FoundSymbol = z.infer<typeof foundSymbolSchema>;

export const symbolsAnswerSchema = z.object({
  symbols: z.array(foundSymbolSchema),
  total: z.int(),
  /** True when there are more than were looked at. */
  partial: z.boolean(),
  ...answerTail,
});
export type SymbolsAnswer = z.infer<typeof symbolsAnswerSchema>;

export const referencesRequestSchema = z.object({
  /** A name, or with what it is inside of, whose users come first then: `Server.start`. */
  symbol: z.string().min(1, "name a symbol").max(500),
  /** Lists the lines too that define the name, and those in strings, comments and files without a grammar. */
  all: flagSchema.default(false),
  /** Lists only the lines that do this with it. */
  kind: useKindSchema.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  ...filtersSchema.shape,
  ...positionFields,
  cursor: cursorSchema.optional(),
});
export type ReferencesRequest = z.infer<typeof referencesRequestSchema>;

export const foundReferenceSchema = indexedFileSchema.extend({
  line: z.int(),
  /** The line, or the part of it around the name. */
  text: z.string(),
  kind: useKindSchema,
  /** The innermost definition that the line is inside of. */
  within: z.string().nullable(),
  precision: precisionSchema,
});
export type FoundReference = z.infer<typeof foundReferenceSchema>;

export const referencesAnswerSchema = z.object({
  /** Where the name is defined, the nearest first; ten at the most. */
  definitions: z.array(foundSymbolSchema),
  /** How many definitions `GET /api/v1/symbols` has of the name. */
  definitions_total: z.int(),
  /** Lines that use the name, the exact ones first; with `all` every line that has it. */
  references: z.array(foundReferenceSchema),
  /** Lines that have the name as a whole word, by what they do with it: those that `git grep -w` finds, without `other_symbols`. */
  counts: z.record(useKindSchema, z.int()),
  /** How many lines there are to list; null when not everything was looked at. */
  total: z.int().nullable(),
  /** How many of them are exact and how many by name; null where no uploaded index knows what the name means. */
  precisions: z.object({ exact: z.int(), name: z.int() }).nullable(),
  /** Lines that have the name and are neither listed nor in `counts`: an uploaded index has another symbol there. */
  other_symbols: z.int(),
  /** Files that those lines are in. */
  files_total: z.int(),
  /** True when not everything was looked at: there are at least as many as `counts` and `files_total` say. */
  partial: z.boolean(),
  ...answerTail,
});
export type ReferencesAnswer = z.infer<typeof referencesAnswerSchema>;
