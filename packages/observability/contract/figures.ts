import { z } from "zod";
import { facetFieldSchema, traceQueryText } from "./explore.ts";
import { nameFilter, nulRefused, observationKindSchema, timestamp, WITHOUT_NUL } from "./parts.ts";

/** Prices and metrics. */

const amountSchema = z.number().min(0).max(1e6);
const priceFields = {
  /** The provider's name of the model; in lower case, and a date behind it may be left out. */
  model: z.string().trim().min(1, "name the model").max(500).regex(WITHOUT_NUL, nulRefused),
  /** US dollars for a million tokens. */
  input: amountSchema,
  output: amountSchema,
};

/** Calls from the hour of `valid_from` on have this price, until the next version; without it, calls from this hour on. */
export const putPriceRequestSchema = z.object({
  ...priceFields,
  /** Defaults to the price of `input`. */
  cache_read: amountSchema.nullable().default(null),
  cache_write: amountSchema.nullable().default(null),
  valid_from: timestamp.optional(),
});
export type PutPriceRequest = z.input<typeof putPriceRequestSchema>;
export const deletePriceRequestSchema = z.object({ model: priceFields.model, valid_from: timestamp });

export const priceSchema = z.object({
  ...priceFields,
  cache_read: z.number().nullable(),
  cache_write: z.number().nullable(),
  valid_from: timestamp,
  /** The source and date of a default price; null for a price of the project's own, which takes precedence. */
  source: z.string().nullable(),
});
export type Price = z.infer<typeof priceSchema>;
export const priceListSchema = z.object({ items: z.array(priceSchema) });

/** Whole hours: `from` is rounded down and `to` up; the last 24 hours without them. */
export const metricsRequestSchema = z.object({
  from: timestamp.optional(),
  to: timestamp.optional(),
  /** `hour` for 31 days at the most, `day` (UTC) for 732. */
  step: z.enum(["hour", "day"]).default("hour"),
  /** The observations counted, and not those of other kinds, names or models. */
  kind: observationKindSchema.optional(),
  name: nameFilter,
  model: nameFilter,
  /** Groups of observations, or with `trace` of traces by their names; those with the most, 50 of them. `status` tells both. */
  by: z.enum(["kind", "name", "model", "status", "trace"]).optional(),
});

/** How long it took; null when nothing has ended. Percentiles are within 1 % of the truth, from a microsecond on; the mean is exact. */
const spreadSchema = z.object({
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
  p99_ms: z.number().nullable(),
  mean_ms: z.number().nullable(),
});
const countsSchema = spreadSchema.extend({ count: z.int(), failures: z.int() });
/** What is known of traces wherever it comes from. */
const figuresSchema = z.object({
  traces: countsSchema,
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost: z.number().nullable(),
  /** The wait of streamed model calls; where traces are filtered, of each trace's slowest one. */
  time_to_first_token: spreadSchema,
});
export const metricsPointSchema = figuresSchema.extend({
  observations: countsSchema,
  /** Model calls, and those among them whose model has no price: they are not in `cost`. */
  calls: z.int(),
  unpriced_calls: z.int(),
});
const metricsRangeSchema = z.object({ from: timestamp, to: timestamp, step: z.enum(["hour", "day"]) });
export const metricsSchema = metricsRangeSchema.extend({
  /** Hours that are not counted yet: their events arrived a moment ago, or they could not be counted. */
  pending_hours: z.int(),
  /** The hours among them that could not be counted: their figures are missing, or older, until a later try. */
  uncounted_hours: z.int(),
  /** Since when the first of these is tried in vain. */
  uncounted_since: timestamp.nullable(),
  total: metricsPointSchema,
  /** Steps in which something happened. */
  series: z.array(metricsPointSchema.extend({ time: timestamp })),
  groups: z.array(metricsPointSchema.extend({ key: z.string() })),
});
export type Metrics = z.infer<typeof metricsSchema>;
export type MetricsPoint = z.infer<typeof metricsPointSchema>;
export type Spread = z.infer<typeof spreadSchema>;
export type Counts = z.infer<typeof countsSchema>;
export type Figures = z.infer<typeof figuresSchema>;

const NO_TIMES: Spread = { p50_ms: null, p95_ms: null, p99_ms: null, mean_ms: null };
const NOTHING_COUNTED: Counts = { count: 0, failures: 0, ...NO_TIMES };
/** A time in which nothing happened. */
export const EMPTY_POINT: MetricsPoint = {
  input_tokens: 0,
  output_tokens: 0,
  calls: 0,
  unpriced_calls: 0,
  cost: null,
  time_to_first_token: NO_TIMES,
  traces: NOTHING_COUNTED,
  observations: NOTHING_COUNTED,
};

/** What a chart may show. Times are of traces, but for the time to first token, which is of each trace's slowest model call. */
export const chartMeasureSchema = z.enum(["traces", "error_rate", "p50", "p95", "p99", "cost", "tokens", "ttft_p50", "ttft_p95"]);
export type ChartMeasure = z.infer<typeof chartMeasureSchema>;
/** A text field of the query: `user`, `tag`, `metadata.customer`; or the status. */
const groupedBySchema = z.union([facetFieldSchema, z.literal("status")]);

/** Whole hours, as for the metrics. */
export const traceFiguresRequestSchema = metricsRequestSchema.pick({ from: true, to: true, step: true }).extend({
  q: traceQueryText.optional(),
  /** A trace counts in the group of each of its values. */
  by: groupedBySchema.optional(),
  /** The figure by which the first groups are chosen. */
  top: chartMeasureSchema.default("traces"),
  groups: z.coerce.number().int().min(1).max(50).default(50),
});
const figuresOverTimeSchema = z.array(figuresSchema.extend({ time: timestamp }));
export const traceFiguresSchema = metricsRangeSchema.extend({
  /** Traces that are not counted yet are missing. */
  is_counting: z.boolean(),
  /** There are more than so many traces, and only the newest of them are in it; null: all are. */
  newest: z.int().nullable(),
  total: figuresSchema,
  series: figuresOverTimeSchema,
  /** How many there are; the first are told. */
  groups_total: z.int(),
  /** An empty `key`: traces without such a value. Of the first ten there is a series. */
  groups: z.array(figuresSchema.extend({ key: z.string(), series: figuresOverTimeSchema })),
});
export type TraceFigures = z.infer<typeof traceFiguresSchema>;

const chartFields = {
  name: z.string().trim().min(1, "give the chart a name").max(100).regex(WITHOUT_NUL, nulRefused),
  measure: chartMeasureSchema,
  /** Null: of all traces together. */
  by: groupedBySchema.nullable(),
  query: traceQueryText,
  /** `ranking`: the first groups of the whole time. */
  kind: z.enum(["lines", "bars", "ranking"]),
};
export type ChartKind = z.infer<(typeof chartFields)["kind"]>;
export const createChartRequestSchema = z.object({
  ...chartFields,
  by: chartFields.by.default(null),
  query: chartFields.query.default(""),
  kind: chartFields.kind.default("lines"),
});
export type CreateChartRequest = z.input<typeof createChartRequestSchema>;
/** What is left out stays as it is. */
export const changeChartRequestSchema = z.object(chartFields).partial();
export const orderChartsRequestSchema = z.object({ ids: z.array(z.uuid()).max(100) });
export const chartSchema = z.object({
  id: z.uuid(),
  ...chartFields,
  /** A user's id, or `operator`. */
  author: z.string(),
  /** Whether the caller may change and delete it. */
  can_change: z.boolean(),
  changed_at: timestamp,
});
export type Chart = z.infer<typeof chartSchema>;
/** Charts in the order of the dashboard; a project has 100 at the most. */
export const chartListSchema = z.object({ items: z.array(chartSchema), next_cursor: z.null() });
