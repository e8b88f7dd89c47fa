import { jsonValueSchema, type Json } from "#contract.ts";

/** A value of a JSON column, by its type. */
export function toJson(value: unknown): Json {
  return jsonValueSchema.parse(value ?? null);
}
