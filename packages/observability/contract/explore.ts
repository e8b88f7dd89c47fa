import { z } from "zod";
import {
  listRequestSchema,
  nulRefused,
  observationKindSchema,
  observationStatusSchema,
  timestamp,
  usageSchema,
  WITHOUT_NUL,
} from "./parts.ts";
import { traceNumberSchemas } from "#step-numbers.ts";
import { hasTraceFacets } from "./trace-query/fields.ts";
import { mapLabels } from "#trace-labels.ts";
import { TRACE_PURPOSES } from "#trace-purpose.ts";
import { MAX_TRACE_QUERY_LENGTH } from "./trace-query/trace-query.ts";

/** The list of a project's traces: what is asked of it, its facets, sessions, users and saved views. */

export const traceSummarySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  status: observationStatusSchema,
  started_at: timestamp,
  ended_at: timestamp.nullable(),
  /** Between interrupts and their resumes. */
  waiting_ms: z.number(),
  observations: z.int(),
  /** How many failures arose, caught or not; one that is passed on is one. */
  failures: z.int(),
  /** Events of this trace known to be missing. */
  lost_events: z.int(),
  thread_id: z.string().nullable(),
  session_id: z.string().nullable(),
  user_id: z.string().nullable(),
  purpose: z.enum(TRACE_PURPOSES),
  /** The duration is without the time it waited. */
  ...traceNumberSchemas,
});
export type TraceSummary = z.infer<typeof traceSummarySchema>;

export const foundTextSchema = z.object({
  /** Null: in what the trace itself took in or gave back, as are its name and kind. */
  step_id: z.uuid().nullable(),
  name: z.string().nullable(),
  kind: observationKindSchema.nullable(),
  /** The words around it, in lower case; 160 characters at the most. */
  text: z.string(),
});
export type FoundText = z.infer<typeof foundTextSchema>;

/** A search of texts. */
export const textSearchSchema = z.object({
  /** To be marked where they are shown: in lower case, as {@link FoundText} has them. */
  words: z.array(z.string()),
  /** Words of what was written in the last so many seconds may not be found yet; 0 when that is a minute or less. */
  behind_seconds: z.int(),
  /** Texts that were stored before there was a search for them are not all read yet. */
  is_older_pending: z.boolean(),
});
export type TextSearch = z.infer<typeof textSearchSchema>;

/** A trace in the list. */
export const listedTraceSchema = traceSummarySchema.extend({
  /** The names of those that were called; five at the most. */
  models: z.array(z.string()),
  /** One line of each, 80 characters at the most: of messages the newest; of traces that say nothing themselves the first and last model call's. */
  input: z.string().nullable(),
  output: z.string().nullable(),
  ...mapLabels(() => z.string().nullable()),
  /** Ten at the most. */
  tags: z.array(z.string()),
  /** Its beginning: 300 characters at the most. */
  error: z.string().nullable(),
  /** Scores of the whole trace and of its steps, by name, with the mean of the values; ten names at the most. */
  scores: z.array(z.object({ name: z.string(), value: z.number(), count: z.int() })),
});
export type ListedTrace = z.infer<typeof listedTraceSchema>;

/** A trace that a query found. */
export const foundTraceSchema = listedTraceSchema.extend({
  /** Where words, `text` or `args` of the query were found, most of them together: null where that is in no text, or none was asked for. */
  found: foundTextSchema.nullable(),
  /** On the trace, its steps and its scores. */
  comments: z.int(),
});
export type FoundTrace = z.infer<typeof foundTraceSchema>;

export const traceSortSchema = z.enum(["started", "duration", "cost", "tokens", "errors"]);
export type TraceSort = z.infer<typeof traceSortSchema>;
export const sortOrderSchema = z.enum(["desc", "asc"]);

/** The grammar is in `trace-query.ts`; what cannot be read is 400 `invalid_query` with `details: [{from, to, message}]`. */
export const traceQueryText = z.string().max(MAX_TRACE_QUERY_LENGTH).regex(WITHOUT_NUL, nulRefused);

export const listTracesRequestSchema = z.object({
  q: traceQueryText.optional(),
  /** What has no such value (no end, no tokens, no price) comes last in either order. */
  sort: traceSortSchema.default("started"),
  order: sortOrderSchema.default("desc"),
  status: observationStatusSchema.optional(),
  /** A part of the name, in either case. */
  name: z.string().max(200).regex(WITHOUT_NUL, nulRefused).optional(),
  /**
   * Words, all of which are in its name, error, thread, session or user, or in what it or a step of it took in, gave back or died of; in either case,
   * and whole.
   */
  search: z.string().max(200).regex(WITHOUT_NUL, nulRefused).optional(),
  /** The cursor of the page before; it holds for the same `sort` and `order` only. */
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type ListTracesRequest = z.input<typeof listTracesRequestSchema>;

export const tracePageSchema = z.object({
  items: z.array(foundTraceSchema),
  next_cursor: z.string().nullable(),
  /** Traces of the last moments are not counted yet: filtered and sorted, the list may lack some, or tell them as they were. */
  is_counting: z.boolean(),
  /** Prices changed a moment ago, and what traces are sorted and filtered by still has the old ones. */
  is_cost_pending: z.boolean(),
  /** Null where the query looks for no words. */
  search: textSearchSchema.nullable(),
});
export type TracePage = z.infer<typeof tracePageSchema>;

export const traceHistogramRequestSchema = z.object({ q: traceQueryText.optional() });

/** Sixty bars at the most, without those in which nothing began. */
export const traceHistogramSchema = z.object({
  /** 200,000 at the most. */
  total: z.int(),
  /** Whether there are more traces, of which the newest are counted. */
  is_cut: z.boolean(),
  /** How long a bar is. */
  bar_ms: z.number(),
  bars: z.array(z.object({ at: timestamp, traces: z.int(), failures: z.int() })),
});
export type TraceHistogram = z.infer<typeof traceHistogramSchema>;

/** The fields of {@link TRACE_FIELDS} with `hasFacets`, by their names or as `metadata.customer`. */
export const facetFieldSchema = z.string().max(200).refine(hasTraceFacets, "no field of the query with values to tell");

export const facetsRequestSchema = z.object({
  /** `metadata` tells its keys. */
  field: z.union([facetFieldSchema, z.literal(["metadata", "status"])]).default("name"),
  /** The beginning of the values, in either case. */
  prefix: z.string().max(200).regex(WITHOUT_NUL, nulRefused).default(""),
  /** A query: the values are those of the newest 5,000 traces that it finds; without one, of all. Terms that cannot be read are ignored. */
  q: traceQueryText.optional(),
  /** `newest`: those whose first trace began last; without `q` only. */
  sort: z.enum(["count", "newest"]).default("count"),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});
/** Groups with the most traces come first, unless sorted otherwise. */
export const facetListSchema = z.object({
  items: z.array(z.object({ value: z.string(), count: z.int() })),
  /** How many of the newest traces were searched; null: all. */
  looked_at: z.int().nullable(),
});
export type FacetList = z.infer<typeof facetListSchema>;

/** `prefix`: what the id begins with, in either case. */
export const listTraceGroupsRequestSchema = listRequestSchema.extend({
  prefix: z.string().max(200).regex(WITHOUT_NUL, nulRefused).default(""),
  sort: z.enum(["last", "traces", "cost", "tokens", "failures"]).default("last"),
});
/** A session or a user: what its traces are together. */
export const traceGroupSchema = z.object({
  id: z.string(),
  traces: z.int(),
  /** Traces that failed. */
  failures: z.int(),
  ...usageSchema.shape,
  first_at: timestamp,
  last_at: timestamp,
  /** A query for the list that finds the traces of this session or user. */
  q: z.string(),
  /** Of a session in the list of sessions: how it began and for whom, and how long it took from its first trace to the end of its last. */
  session: z.object({ first_input: z.string().nullable(), user_id: z.string().nullable(), duration_ms: z.number().nullable() }).optional(),
});
export type TraceGroup = z.infer<typeof traceGroupSchema>;
export const traceGroupPageSchema = z.object({
  items: z.array(traceGroupSchema),
  next_cursor: z.string().nullable(),
  /** Traces are being counted that are not in it yet. */
  is_counting: z.boolean(),
  is_cost_pending: z.boolean(),
});
export type TraceGroupPage = z.infer<typeof traceGroupPageSchema>;

/** How many traces one request changes or exports. */
export const MAX_BULK_TRACES = 200;
export const traceIdsSchema = z.array(z.uuid()).min(1).max(MAX_BULK_TRACES);
const tagsSchema = z.array(z.string().trim().min(1).max(200).regex(WITHOUT_NUL, nulRefused)).max(20).default([]);

export const deleteTracesRequestSchema = z.object({ trace_ids: traceIdsSchema });
export const tagTracesRequestSchema = deleteTracesRequestSchema.extend({ add: tagsSchema, remove: tagsSchema });
export type TagTracesRequest = z.input<typeof tagTracesRequestSchema>;
/** How many of the traces there are. */
export const bulkAnswerSchema = z.object({ traces: z.int() });

const viewFields = {
  name: z.string().trim().min(1, "give the view a name").max(100).regex(WITHOUT_NUL, nulRefused),
  query: traceQueryText,
  sort: traceSortSchema,
  order: sortOrderSchema,
  /** Columns of the list, by the names that the console gives them. */
  columns: z.array(z.string().max(50).regex(WITHOUT_NUL, nulRefused)).max(30),
  /** Whether everybody who sees the project sees it, and not its author alone. */
  shared: z.boolean(),
};
export const createViewRequestSchema = z.object({
  ...viewFields,
  query: viewFields.query.default(""),
  sort: viewFields.sort.default("started"),
  order: viewFields.order.default("desc"),
  columns: viewFields.columns.default([]),
  shared: viewFields.shared.default(false),
});
export type CreateViewRequest = z.input<typeof createViewRequestSchema>;
/** What is left out stays as it is. */
export const changeViewRequestSchema = z.object(viewFields).partial();
export type ChangeViewRequest = z.infer<typeof changeViewRequestSchema>;

export const viewSchema = z.object({
  id: z.uuid(),
  ...viewFields,
  /** A user's id, or `operator`. */
  author: z.string(),
  /** Whether the caller may change and delete it. */
  can_change: z.boolean(),
  changed_at: timestamp,
});
export type View = z.infer<typeof viewSchema>;
/** The author's own and the shared ones, by name; a project has 200 at the most. */
export const viewListSchema = z.object({ items: z.array(viewSchema), next_cursor: z.null() });
