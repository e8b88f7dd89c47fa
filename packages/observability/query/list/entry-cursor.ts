import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import { z } from "zod";
import { sortOrderSchema, traceSortSchema } from "#contract.ts";
import type { EntryPosition, Sort } from "./list-traces.store.ts";
import { microsSchema } from "#query/access/cursor.ts";

type Sorting = { readonly sort: Sort; readonly order: "asc" | "desc" };

const whole = z.string().regex(/^\d{1,18}$/);
const real = z.string().regex(/^-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,2})?$/);
const VALUES: Readonly<Record<Sort, z.ZodType<string | null>>> = {
  started: z.null(),
  duration: real.nullable(),
  cost: real.nullable(),
  tokens: whole.nullable(),
  errors: whole,
};

/** @throws {AppError} 400 `invalid_cursor`, also when it is of a list in another order. */
export function entryPositionOf(cursor: string | undefined, { sort, order }: Sorting): EntryPosition | undefined {
  if (cursor === undefined) {
    return undefined;
  }
  const schema = z.tuple([traceSortSchema.extract([sort]), sortOrderSchema.extract([order]), VALUES[sort], microsSchema, z.uuid()]);
  const [, , value, micros, id] = fromCursor(cursor, schema);
  return { value, micros, id };
}

export function entryCursorOf({ sort, order }: Sorting, position: EntryPosition | undefined): string | null {
  return position === undefined ? null : toCursor([sort, order, position.value, position.micros, position.id]);
}
