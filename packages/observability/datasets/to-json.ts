import { z } from "zod";
import type { Json } from "#contract.ts";

const schema = z.json();

/** A value of a JSON column, by its type. */
export function toJson(value: unknown): Json {
  return schema.parse(value ?? null);
}
