import { z } from "zod";
import { checksSchema } from "./checks.ts";
import { jsonObjectSchema, jsonValueSchema, listRequestSchema, nulRefused, timestamp, WITHOUT_NUL } from "./parts.ts";

/** Datasets: items with an input, what is expected and checks, in versions that never change. */

const label = z.string().trim().min(1).max(200).regex(WITHOUT_NUL, nulRefused);
const jsonSchema = jsonObjectSchema.nullable();

export const createDatasetRequestSchema = z.object({
  name: label,
  description: z.string().trim().max(2_000).regex(WITHOUT_NUL, nulRefused).default(""),
  /** JSON schemas that the input and the expected value of every item written from now on must fit; null demands nothing. */
  input_schema: jsonSchema.default(null),
  expected_schema: jsonSchema.default(null),
});
export type CreateDatasetRequest = z.input<typeof createDatasetRequestSchema>;
/** What is left out stays as it is. */
export const changeDatasetRequestSchema = z.object({
  name: label.optional(),
  description: z.string().trim().max(2_000).regex(WITHOUT_NUL, nulRefused).optional(),
  input_schema: jsonSchema.optional(),
  expected_schema: jsonSchema.optional(),
});

export const datasetSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  description: z.string(),
  /** The newest version; 0 as long as it is empty. */
  version: z.int(),
  /** Items of the newest version. */
  items: z.int(),
  input_schema: jsonSchema,
  expected_schema: jsonSchema,
  created_by: z.string(),
  created_at: timestamp,
  changed_at: timestamp,
});
export type Dataset = z.infer<typeof datasetSchema>;
export const datasetPageSchema = z.object({ items: z.array(datasetSchema), next_cursor: z.string().nullable() });
export type DatasetPage = z.infer<typeof datasetPageSchema>;
export const listDatasetsRequestSchema = listRequestSchema.extend({ name: z.string().max(200).regex(WITHOUT_NUL, nulRefused).optional() });

/** Where an item comes from; the line is of that commit. */
export const codeLineSchema = z.object({
  repo: z.string().max(500).optional(),
  commit: z.string().max(100).optional(),
  path: z.string().max(1_000).optional(),
  function: z.string().max(500).optional(),
  line: z.int().min(0).optional(),
});
export type CodeLine = z.infer<typeof codeLineSchema>;

export const itemSourceSchema = codeLineSchema.extend({
  trace_id: z.uuid().optional(),
  observation_id: z.uuid().optional(),
  issue_id: z.uuid().optional(),
  /** Values that were cut, masked or binary when they were recorded, by name. */
  incomplete: z.array(z.string().max(200)).max(100).optional(),
});
export type ItemSource = z.infer<typeof itemSourceSchema>;

const fields = {
  input: jsonValueSchema,
  expected: jsonValueSchema.default(null),
  checks: checksSchema.default([]),
  metadata: jsonObjectSchema.default({}),
  /** A part of the dataset that is run by itself, such as `test`. */
  split: label.nullable().default(null),
  /** The user of the application whose data it holds; deleting the user redacts it. */
  subject: z.string().max(1_000).regex(WITHOUT_NUL, nulRefused).nullable().default(null),
  /** Items of one cluster (an issue, a session, a user) are not independent of each other. */
  cluster: z.string().max(500).regex(WITHOUT_NUL, nulRefused).nullable().default(null),
  /** Must pass in every repetition, or a gate fails without any statistics. */
  required: z.boolean().default(false),
  source: itemSourceSchema.nullable().default(null),
};

export const writeItemSchema = z.object({ id: z.uuid().toLowerCase().optional(), ...fields });
export type WriteItem = z.output<typeof writeItemSchema>;

/** One version a request, whatever is in it. An item with an id that the dataset has is changed. */
export const writeItemsRequestSchema = z.object({
  items: z.array(writeItemSchema).max(1_000, "at most 1000 items a request").default([]),
  delete: z.array(z.uuid().toLowerCase()).max(1_000).default([]),
  reason: z.string().trim().max(500).regex(WITHOUT_NUL, nulRefused).default(""),
});
export type WriteItemsRequest = z.input<typeof writeItemsRequestSchema>;

/** `duplicate`: the dataset has an item of the same input and expected value, `of`. */
export const writtenItemSchema = z.object({
  id: z.uuid(),
  state: z.enum(["added", "changed", "unchanged", "duplicate", "deleted", "unknown"]),
  of: z.uuid().optional(),
});
export const writtenItemsSchema = z.object({ version: z.int(), items: z.array(writtenItemSchema) });
export type WrittenItems = z.infer<typeof writtenItemsSchema>;
/** `matching`: the traces from which those were drawn. */
export const itemsFromTracesSchema = writtenItemsSchema.extend({ matching: z.int() });
export type ItemsFromTraces = z.infer<typeof itemsFromTracesSchema>;

export const itemSchema = z.object({
  ...fields,
  id: z.uuid(),
  /** The version that made it so. */
  version: z.int(),
  /** The user whose data it held was deleted: nothing is left of it to run. */
  redacted: z.boolean(),
});
export type Item = z.infer<typeof itemSchema>;
export const itemPageSchema = z.object({ version: z.int(), items: z.array(itemSchema), next_cursor: z.string().nullable() });
export type ItemPage = z.infer<typeof itemPageSchema>;
export const listItemsRequestSchema = listRequestSchema.extend({
  version: z.coerce.number().int().min(0).optional(),
  split: z.string().max(200).regex(WITHOUT_NUL, nulRefused).optional(),
});

export const importItemsRequestSchema = z.object({
  reason: z.string().trim().max(500).regex(WITHOUT_NUL, nulRefused).default("from a file"),
});
/** `duplicates`: the dataset, or the file itself before them, had an item of the same input and expected value, `of`. */
export const importedItemsSchema = z.object({
  version: z.int(),
  added: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  duplicates: z.int(),
  first_duplicates: z.array(z.object({ line: z.int(), of: z.uuid() })),
});
export type ImportedItems = z.infer<typeof importedItemsSchema>;
export const exportItemsRequestSchema = z.object({
  format: z.enum(["jsonl", "csv"]).default("jsonl"),
  version: z.coerce.number().int().min(0).optional(),
  split: z.string().max(200).regex(WITHOUT_NUL, nulRefused).optional(),
});

const itemFieldSchema = z.enum(["input", "expected", "checks", "metadata", "split", "subject", "cluster", "required", "source"]);
/** An item that two versions don't have alike: as it is in the one (`before`) and in the other (`after`), null where it is not. */
export const itemChangeSchema = z.object({
  id: z.uuid(),
  state: z.enum(["added", "removed", "changed"]),
  /** What changed of it. */
  fields: z.array(itemFieldSchema),
  before: itemSchema.nullable(),
  after: itemSchema.nullable(),
});
export type ItemChange = z.infer<typeof itemChangeSchema>;
/** Pages may have fewer items than their limit: what changed and changed back is left out. */
export const datasetDiffSchema = z.object({
  from: z.int(),
  to: z.int(),
  items: z.array(itemChangeSchema),
  next_cursor: z.string().nullable(),
});
export const datasetDiffRequestSchema = listRequestSchema.extend({
  from: z.coerce.number().int().min(0),
  /** The newest unless another is named. */
  to: z.coerce.number().int().min(0).optional(),
});

export const datasetVersionSchema = z.object({
  version: z.int(),
  author: z.string(),
  reason: z.string(),
  made_at: timestamp,
  added: z.int(),
  changed: z.int(),
  deleted: z.int(),
});
export type DatasetVersion = z.infer<typeof datasetVersionSchema>;
export const datasetVersionPageSchema = z.object({ items: z.array(datasetVersionSchema), next_cursor: z.string().nullable() });

/** As many traces as become items of one request, since each is read whole. */
export const MAX_ITEM_TRACES = 200;

/** How traces are drawn from those that a query finds: all alike, or as many as there are of each status, agent, user or session. */
export const SAMPLE_BY = ["random", "status", "name", "user", "session"] as const;
const drawnSchema = z.strictObject({
  /** As the list of traces takes it. */
  q: z.string().max(2_000).regex(WITHOUT_NUL, nulRefused).default(""),
  from: timestamp.optional(),
  to: timestamp.optional(),
  sample: z.strictObject({
    size: z.int().min(1).max(MAX_ITEM_TRACES),
    by: z.enum(SAMPLE_BY).default("random"),
    /** The same seed draws the same of the same traces. */
    seed: z.int32().default(1),
  }),
});
const ofSessionSchema = z.strictObject({ session_id: z.string().min(1).max(1_000).regex(WITHOUT_NUL, nulRefused) });

/** Makes items of recorded traces that are named, of one session, or drawn by a query: of their input and output, or of the one step that is named. */
export const itemsFromTracesRequestSchema = z
  .object({
    traces: z
      .array(z.object({ trace_id: z.uuid(), observation_id: z.uuid().optional() }))
      .min(1)
      .max(100, "at most 100 traces a request")
      .optional(),
    /** In their place: the traces of a session in their order, or a sample of those that have ended. */
    from: z.union([ofSessionSchema, drawnSchema]).optional(),
    /** Only tells how many traces there are; nothing is written. */
    preview: z.boolean().default(false),
    /** Expected of all of them; without it what was put out, unless it failed. */
    expected: jsonValueSchema.optional(),
    /** The item that was made of the trace, or that it ran in an experiment, is changed to expect that. */
    corrects: z.boolean().default(false),
    checks: checksSchema.default([{ type: "succeeds" }]),
    /** Without it those that failed are. */
    required: z.boolean().optional(),
    split: label.nullable().default(null),
    cluster: z.string().max(500).regex(WITHOUT_NUL, nulRefused).optional(),
    issue_id: z.uuid().optional(),
  })
  .refine(({ traces, from }) => (traces === undefined) !== (from === undefined), "give either traces or from");
export type ItemsFromTracesRequest = z.input<typeof itemsFromTracesRequestSchema>;
