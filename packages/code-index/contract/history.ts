import { z } from "zod";
import { branchSchema } from "#branch-schema.ts";
import { answerTail } from "./search.ts";

/** The commits of a branch, and what they changed; safe to import in a browser. */

const timestamp = z.iso.datetime();

const momentSchema = z.union(
  [z.iso.date(), z.iso.datetime({ offset: true })],
  "expected a date such as 2026-01-31, or one with time and zone",
);

export const commitsRequestSchema = z.object({
  /** Words of the message; the newest commits when left out. */
  query: z.string().max(2_000).optional(),
  /** Text that they add or remove, letter for letter, instead of words; looked for in what they changed, in all commits of the branch. */
  changed: z.string().min(1).max(500).optional(),
  /** A file, whose earlier names are followed, a folder, or part of a path; `*` stands for anything. */
  path: z.string().max(4_096).optional(),
  /** Part of the author's name or email. */
  author: z.string().max(300).optional(),
  /** Committed then or later; a date begins at midnight UTC. */
  since: momentSchema.optional(),
  /** Committed then or before; a date ends at midnight UTC. */
  until: momentSchema.optional(),
  /** A branch; the default one when left out. */
  ref: branchSchema.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().min(1).max(2_000).optional(),
});
export type CommitsRequest = z.infer<typeof commitsRequestSchema>;

export const commitSchema = z.object({
  repo: z.string(),
  commit: z.string(),
  parents: z.array(z.string()),
  author: z.string(),
  author_email: z.string(),
  authored_at: timestamp,
  committed_at: timestamp,
  subject: z.string(),
  body: z.string(),
  /** Files it changed, those asked for first; a hundred at the most. Of a merge those that differ from all its parents. */
  paths: z.array(z.string()),
  paths_total: z.int(),
});
export type Commit = z.infer<typeof commitSchema>;

export const commitsAnswerSchema = z.object({
  repo: z.string(),
  ref: z.string(),
  /** The commit that is indexed. */
  commit: z.string(),
  commits: z.array(commitSchema),
  /** What is known of the branch: so many commits, up to the first one when `complete`. */
  depth: z.object({ commits: z.int(), complete: z.boolean(), newest: z.string().nullable(), fetched_at: timestamp.nullable() }),
  /** How the path was understood, with the earlier names of a file. */
  path: z.object({ is: z.enum(["file", "folder", "part"]), names: z.array(z.string()) }).nullable(),
  ...answerTail,
});
export type CommitsAnswer = z.infer<typeof commitsAnswerSchema>;

/** Changed files that are kept of a commit. */
export const MAX_CHANGED_FILES = 2_000;

export const hashSchema = z.string().regex(/^[0-9a-f]{4,64}$/iu, "expected the hash of a commit, or its first four characters or more");

/** A commit as people call it: a hash or its beginning, a tag, a branch or HEAD (the indexed commit), behind it `~3`, `^` or `@{2026-10-01}`. */
export const revisionSchema = z.string().trim().min(1).max(300);

export const commitParamsSchema = z.object({ repo_id: z.string().max(100), commit: revisionSchema });

export const commitRequestSchema = z.object({
  /** A branch; the default one when left out. */
  ref: branchSchema.optional(),
  /** Only what changed of a file or folder. */
  path: z.string().max(4_096).optional(),
});
export type CommitRequest = z.infer<typeof commitRequestSchema>;

/** What changed of a file. */
export const fileChangeSchema = z.object({
  /** The file's name; the last one of a file that was deleted. */
  path: z.string(),
  /** The name before, where the file was moved. */
  old_path: z.string().nullable(),
  status: z.enum(["added", "deleted", "modified", "renamed"]),
  added: z.int(),
  deleted: z.int(),
  /** The hunks of a unified diff; empty where no line changed. */
  patch: z.string(),
  /** Why the hunks are not here: a binary file, one too large, one that the rules of the repository leave out. */
  left_out: z.string().nullable(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

const changes = {
  /** By path. */
  changes: z.array(fileChangeSchema),
  /** How many files changed, those that are not among them, too; null where it is not known. */
  changes_total: z.int().nullable(),
  notes: z.array(z.string()),
};

export const commitAnswerSchema = z.object({ repo: z.string(), ref: z.string(), commit: commitSchema, ...changes });
export type CommitAnswer = z.infer<typeof commitAnswerSchema>;

export const compareRequestSchema = commitRequestSchema.extend({ base: revisionSchema, head: revisionSchema });
export type CompareRequest = z.infer<typeof compareRequestSchema>;

export const compareAnswerSchema = z.object({ repo: z.string(), ref: z.string(), base: z.string(), head: z.string(), ...changes });
export type CompareAnswer = z.infer<typeof compareAnswerSchema>;

const blameRangeSchema = z.object({
  start_line: z.int(),
  end_line: z.int(),
  /** Null for lines that are older than the commits that are kept. */
  commit: z.string().nullable(),
  /** The file's name at that commit, and where the lines began in it. */
  path: z.string(),
  original_line: z.int(),
});

export const blameAnswerSchema = z.object({
  repo: z.string(),
  ref: z.string(),
  commit: z.string(),
  path: z.string(),
  total_lines: z.int(),
  /** From top to bottom. */
  ranges: z.array(blameRangeSchema),
  /** Those that the ranges name. */
  commits: z.array(commitSchema.omit({ paths: true, paths_total: true, body: true })),
  notes: z.array(z.string()),
});
export type BlameAnswer = z.infer<typeof blameAnswerSchema>;

/** What one commit changed of lines that are followed back from a later version. */
const lineChangeSchema = z.object({
  commit: commitSchema.omit({ paths: true, paths_total: true }),
  /** The file's name at that commit, and between which lines of it they were. */
  path: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  /** The hunks of it against its first parent, as far as they are about the lines. */
  patch: z.string(),
  /** Why the hunks are not here. */
  left_out: z.string().nullable(),
});

export const lineHistoryAnswerSchema = z.object({
  repo: z.string(),
  ref: z.string(),
  commit: z.string(),
  path: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  total_lines: z.int(),
  /** The newest first. */
  changes: z.array(lineChangeSchema),
  ...answerTail,
});
export type LineHistoryAnswer = z.infer<typeof lineHistoryAnswerSchema>;
