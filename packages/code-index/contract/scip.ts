import { z } from "zod";

/** Requests and answers about SCIP indexes, which say which symbol each name in the code is; safe to import in a browser. */

export const uploadScipRequestSchema = z.object({
  /** The commit that the index was made of, whole. */
  commit: z
    .string()
    .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/iu, "expected the whole hash of a commit")
    .toLowerCase(),
});

/** What of an upload is kept. */
export const scipUploadAnswerSchema = z.object({
  repo: z.string(),
  /** The indexed branch that has the commit. */
  ref: z.string(),
  commit: z.string(),
  tool: z.string(),
  version: z.string(),
  /** The folder of the repository that it is of; empty for the repository itself. */
  root: z.string(),
  documents: z.int(),
  /** Symbols that more than one document may use. */
  symbols: z.int(),
  definitions: z.int(),
  occurrences: z.int(),
  /** Why documents of the index were left out, with how many and a few of them. */
  skipped: z.array(z.object({ reason: z.string(), files: z.int(), examples: z.array(z.string()) })),
});
export type ScipUploadAnswer = z.infer<typeof scipUploadAnswerSchema>;
