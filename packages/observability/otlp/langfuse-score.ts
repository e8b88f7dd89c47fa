import { z } from "zod";
import { givenScoreSchema, readScoreValue } from "#contract.ts";
import { toEventId, toObservationId, toTraceId } from "#identifiers.ts";
import { writeBody } from "./bend-span.ts";
import type { DraftEvent } from "./span-events.ts";

const HEXADECIMAL = /^(?:[\da-f]{16}|[\da-f]{32})$/i;
const TYPES = { NUMERIC: "number", BOOLEAN: "boolean", CATEGORICAL: "category", TEXT: "text" } as const;

const scoreId = z
  .union([z.string().regex(HEXADECIMAL), z.uuid()], "give OpenTelemetry's id in hexadecimal digits, or a UUID")
  .transform((id) => id.toLowerCase());
const scoreSchema = z.object({
  id: z.string().min(1).max(500).nullish(),
  traceId: scoreId,
  observationId: scoreId.nullish(),
  name: givenScoreSchema.shape.name,
  value: z.union([z.number(), z.boolean(), givenScoreSchema.shape.text_value.unwrap()]),
  dataType: z.enum(["NUMERIC", "BOOLEAN", "CATEGORICAL", "TEXT"], "only NUMERIC, BOOLEAN, CATEGORICAL and TEXT are kept").nullish(),
  comment: givenScoreSchema.shape.comment.nullable(),
});

/** A score as Langfuse's SDKs send it: of a trace or an observation in it, the same one under the same id. @returns what is wrong with it, where it is none. */
export function readLangfuseScore(projectId: string, given: unknown): DraftEvent | string {
  const read = scoreSchema.safeParse(given);
  if (!read.success) {
    return read.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  }
  const { id, traceId, observationId, name, value: raw, dataType, comment } = read.data;
  const type = dataType === null || dataType === undefined ? undefined : TYPES[dataType];
  const value = readScoreValue({ [typeof raw === "string" ? "text_value" : "value"]: raw, data_type: type });
  if (typeof value === "string") {
    return value;
  }
  const body = {
    trace_id: traceId.length === 32 ? toTraceId(projectId, traceId) : traceId,
    observation_id: observationId?.length === 16 ? toObservationId(projectId, traceId, observationId) : (observationId ?? undefined),
    name,
    value: value.value ?? undefined,
    text_value: value.text_value ?? undefined,
    data_type: value.data_type,
    comment: comment ?? undefined,
  };
  const text = writeBody(body);
  return { id: toEventId(projectId, "score of Langfuse", id ?? text), type: "score", body: text };
}
