import { z } from "zod";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = Record<string, Json>;

/** Deeper than what people write, and shallower than what would end a process that walks it. */
const MAX_DEPTH = 200;

/** Any JSON value; told by OpenAPI as any, since a schema that is part of itself can't be told there. */
export const jsonValueSchema: z.ZodType<Json, Json> = z
  .any()
  .refine((value) => value !== undefined, "is missing: send null for nothing")
  .refine((value) => isWithin(value, MAX_DEPTH), `is nested more than ${MAX_DEPTH} deep`);

export const jsonObjectSchema = z.record(z.string().max(1_000), jsonValueSchema);

function isWithin(value: unknown, depth: number): boolean {
  return typeof value !== "object" || value === null || (depth > 0 && Object.values(value).every((part) => isWithin(part, depth - 1)));
}
