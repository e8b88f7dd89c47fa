import { z } from "zod";
import { nulRefused, timestamp, WITHOUT_NUL } from "./parts.ts";

/** Which traces ran a piece of code; safe to import in a browser. */

const line = z.coerce.number().int().min(1).max(2_147_483_647);

export const codeRunsRequestSchema = z
  .object({
    /** `owner/name`, with or without the host before it; in either case. */
    repo: z.string().min(1).max(200).regex(WITHOUT_NUL, nulRefused),
    path: z.string().min(1).max(500).regex(WITHOUT_NUL, nulRefused),
    /** The first and the last line that are asked for, at the commit that ran. */
    from: line.optional(),
    to: line.optional(),
    /** How many days back. */
    days: z.coerce.number().int().min(1).max(90).default(30),
    limit: z.coerce.number().int().min(1).max(500).default(100),
  })
  .refine(({ from = 1, to = from }) => from <= to, { path: ["to"], message: "the last line is before the first" });
export type CodeRunsRequest = z.infer<typeof codeRunsRequestSchema>;

const codeRunSchema = z.object({
  project_id: z.uuid(),
  trace_id: z.uuid(),
  trace_name: z.string(),
  observation_id: z.uuid(),
  /** Null while the step runs. */
  status: z.enum(["success", "failure", "interrupted"]).nullable(),
  started_at: timestamp,
  duration_ms: z.number().nullable(),
});
export type CodeRun = z.infer<typeof codeRunSchema>;

const codePlaceSchema = z.object({
  project_id: z.uuid(),
  project: z.string(),
  /** Null where the producer knew none. */
  function: z.string().nullable(),
  /** The line at which it begins at `commit`, the commit of the latest run. */
  line: z.int(),
  commit: z.string().nullable(),
  runs: z.int(),
  failures: z.int(),
  p95_ms: z.number().nullable(),
  last_run_at: timestamp,
  /** The latest ones whose traces are kept; failures are among them even when others came after. */
  latest: z.array(codeRunSchema),
});
export type CodePlace = z.infer<typeof codePlaceSchema>;

/** Places with the most runs first. */
export const codeRunsSchema = z.object({
  items: z.array(codePlaceSchema),
  /** Whether there are more places than were requested. */
  truncated: z.boolean(),
  /** Since when hours of these projects can't be counted, whose runs are missing here; null when there are none. */
  uncounted_since: timestamp.nullable(),
});
export type CodeRuns = z.infer<typeof codeRunsSchema>;
