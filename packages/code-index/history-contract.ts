import { z } from "zod";
import { branchSchema } from "./branch-schema.ts";
import { answerTail } from "./search-contract.ts";

/** The commits of a branch; safe to import in a browser. */

const timestamp = z.iso.datetime();

const momentSchema = z.union(
  [z.iso.date(), z.iso.datetime({ offset: true })],
  "expected a date such as 2026-01-31, or one with time and zone",
);

export const commitsRequestSchema = z.object({
  /** Words of the message; the newest commits when left out. */
  query: z.string().max(2_000).optional(),
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
