import { readScoreValue } from "#contract.ts";
import type { StreamEvent } from "#events/event.ts";
import type { BatchRows } from "#ingest/writing/batch-rows.ts";

type Columns = Pick<BatchRows["scores"][number], "data_type" | "value" | "text_value">;

/** A type that its value does not fit, and what a producer gave beside a text, cost no score. */
export function scoreColumns({ value, ...given }: Extract<StreamEvent, { type: "score" }>["body"]): Columns {
  const read = readScoreValue({ ...given, value });
  if (typeof read !== "string") {
    return { data_type: read.data_type, value: read.value ?? undefined, text_value: read.text_value ?? undefined };
  }
  return value === undefined
    ? { data_type: "text", text_value: given.text_value }
    : { data_type: typeof value === "boolean" ? "boolean" : "number", value: Number(value) };
}
