import { z } from "zod";
import { codePlaceSchema, listRequestSchema, nulRefused, timestamp, WITHOUT_NUL } from "./parts.ts";

/** Issues of a project: failing live traces that failed in the same way at the same place. */

/** What the traces of an issue have in common; `<n>`, `<text>`, `<path>`, … stand for what varies. */
export const issueFactsSchema = z.object({
  /** Names from the root down to the graph's node in which it arose, or to the step where there is no node. */
  path: z.array(z.string()),
  function: z.string().nullable(),
  /** `trace`: the trace died of an error of its own. */
  kind: z.enum(["graph", "node", "tool", "llm", "retriever", "span", "trace"]),
  name: z.string(),
  error_class: z.string().nullable(),
  message: z.string(),
});
export type IssueFacts = z.infer<typeof issueFactsSchema>;

/**
 * - `open`: it fails, or nobody said that it does no more.
 * - `ignored`: until `ignored_until`, then it is open by itself; without a time until somebody opens it.
 * - `closed`: by somebody, who may name the commit that mends it. It is open again by itself as soon as a trace shows it that started after that and
 *   ran a commit (where none is known: a release) on which it was not seen before, or the one it was closed at; or that says neither.
 */
export const issueStateSchema = z.enum(["open", "ignored", "closed"]);
export type IssueState = z.infer<typeof issueStateSchema>;

const text = (maximum: number) => z.string().trim().min(1).max(maximum).regex(WITHOUT_NUL, nulRefused);

export const listIssuesRequestSchema = listRequestSchema.extend({
  state: z.enum([...issueStateSchema.options, "all"]).default("open"),
  sort: z.enum(["last_seen", "count"]).default("last_seen"),
});
export type ListIssuesRequest = z.infer<typeof listIssuesRequestSchema>;

export const issueSchema = z.object({
  id: z.uuid(),
  title: z.string(),
  state: issueStateSchema,
  ignored_until: timestamp.nullable(),
  closed_at: timestamp.nullable(),
  closed_at_commit: z.string().nullable(),
  reopened_at: timestamp.nullable(),
  assignee: z.string().nullable(),
  tracker_url: z.string().nullable(),
  /** Traces that show it, of those the project keeps. */
  count: z.int(),
  first_seen: timestamp,
  last_seen: timestamp,
  users: z.int(),
  /** Issues that were merged into it and can be split off again. */
  merged: z.int(),
  /** Of its newest 200 traces, the newest first; 5 at the most, as the commits. */
  releases: z.array(z.string()),
  commits: z.array(z.string()),
  /** Traces a day of the last 30 (UTC), the last is today. */
  sparkline: z.array(z.int()),
  /** Of its newest trace that names code; the line is that of this trace's commit. */
  where: codePlaceSchema.partial().extend({ path: z.array(z.string()) }),
  error: z.object({ class: z.string().nullable(), message: z.string() }),
  step: issueFactsSchema.pick({ kind: true, name: true }),
});
export type Issue = z.infer<typeof issueSchema>;
export const issuePageSchema = z.object({ items: z.array(issueSchema), next_cursor: z.string().nullable() });
export type IssuePage = z.infer<typeof issuePageSchema>;

/** A trace that shows an issue. */
export const issueTraceSchema = z.object({
  trace_id: z.uuid(),
  seen_at: timestamp,
  name: z.string().nullable(),
  /** As it was recorded, its beginning. */
  error: z.string().nullable(),
  /** Null when the trace died of an error of its own. */
  step_id: z.uuid().nullable(),
  duration_ms: z.number().nullable(),
  steps: z.int(),
  release: z.string().nullable(),
  commit: z.string().nullable(),
  user_id: z.string().nullable(),
  line: z.int().nullable(),
});
export type IssueTrace = z.infer<typeof issueTraceSchema>;
export const issueTracePageSchema = z.object({ items: z.array(issueTraceSchema), next_cursor: z.string().nullable() });

/** One trace may be several of them. */
export const issueDetailSchema = issueSchema.extend({
  /** Of the first of its traces that names code, if one of its oldest 200 does: whoever changed that line last may have brought the issue. */
  first_where: codePlaceSchema.nullable(),
  evidence: z.object({
    /** In the middle of its newest 500 traces by their steps and time. */
    typical: issueTraceSchema.nullable(),
    newest: issueTraceSchema.nullable(),
    /** With the fewest steps of the newest 500, and of these the quickest. */
    shortest: issueTraceSchema.nullable(),
  }),
});
export type IssueDetail = z.infer<typeof issueDetailSchema>;

/** What is left out stays as it is. */
export const changeIssueRequestSchema = z
  .object({
    state: issueStateSchema.optional(),
    ignored_until: timestamp.nullable().optional(),
    closed_at_commit: text(64).nullable().optional(),
    assignee: text(200).nullable().optional(),
    tracker_url: z
      .url({ protocol: /^https?$/u })
      .max(2_000)
      .regex(WITHOUT_NUL, nulRefused)
      .nullable()
      .optional(),
  })
  .refine(({ state, ignored_until: until }) => typeof until !== "string" || state === "ignored", {
    path: ["ignored_until"],
    message: "only with the state ignored",
  })
  .refine(({ state, closed_at_commit: commit }) => typeof commit !== "string" || state === "closed", {
    path: ["closed_at_commit"],
    message: "only with the state closed",
  });
export type ChangeIssueRequest = z.infer<typeof changeIssueRequestSchema>;

/** A trace that fails as one of the issues did that were merged into this one. */
export const splitIssueRequestSchema = z.object({ trace_id: z.uuid() });

export const mergeIssuesRequestSchema = z.object({ into: z.uuid(), from: z.array(z.uuid()).min(1).max(50) });
