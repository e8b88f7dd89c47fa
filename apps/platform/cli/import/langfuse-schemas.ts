import { z } from "zod";

/** What Langfuse publishes of its API, as far as it is read here; fields that are not named are let by. */

const json = z.unknown().transform((value) => value ?? null);
const optional = z.string().nullish();

/** A page of either kind: of the older endpoints by its number, of the newer ones by a cursor. */
export const pageOf = <T extends z.ZodType>(data: T) =>
  z.object({ data: z.array(data), meta: z.object({ page: z.number().default(1), totalPages: z.number().default(1), cursor: optional }) });

export const datasetSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: optional,
  inputSchema: json,
  expectedOutputSchema: json,
});
export type LangfuseDataset = z.output<typeof datasetSchema>;

export const itemSchema = z.object({
  id: z.string(),
  status: z.string(),
  input: json,
  expectedOutput: json,
  metadata: json,
  sourceTraceId: optional,
  sourceObservationId: optional,
});
export type LangfuseItem = z.output<typeof itemSchema>;

/** Version 3. */
export const runSchema = z.object({ id: z.string(), name: z.string(), description: optional, metadata: json, createdAt: z.string() });
export const runItemSchema = z.object({
  id: z.string(),
  datasetItemId: z.string(),
  traceId: z.string(),
  observationId: optional,
  createdAt: z.string(),
});

/** Version 4. */
export const experimentSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: optional,
  startTime: z.string(),
  itemCount: z.number(),
  datasetId: optional,
  metadata: json,
});
export const experimentItemSchema = z.object({
  id: z.string(),
  traceId: z.string(),
  startTime: z.string(),
  level: z.string(),
  experimentItemId: z.string(),
  output: json,
});

const subjectSchema = z.object({ kind: z.string(), id: z.string(), traceId: optional });
/** Of `/v2/scores` and `/v3/scores` alike. */
export const scoreSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    value: z.unknown(),
    dataType: z.string(),
    source: z.string(),
    timestamp: z.string(),
    comment: optional,
    traceId: optional,
    observationId: optional,
    subject: subjectSchema.optional(),
  })
  .transform(({ subject, ...score }) => ({
    ...score,
    traceId: (subject?.kind === "trace" ? subject.id : subject?.traceId) ?? score.traceId ?? undefined,
    observationId: (subject?.kind === "observation" ? subject.id : undefined) ?? score.observationId ?? undefined,
  }));
export type LangfuseScore = z.output<typeof scoreSchema>;

export const traceSchema = z.object({ output: json });
export const promptSchema = z.object({ name: z.string(), versions: z.array(z.number()) });
export const promptVersionSchema = z.object({
  prompt: z.unknown(),
  config: z.unknown().transform((config) => config ?? {}),
  labels: z.array(z.string()).default([]),
  commitMessage: z.string().nullish(),
});
