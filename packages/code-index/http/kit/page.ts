import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import { z } from "zod";

export const pageQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
});

/** The key of the last item already seen. @throws {AppError} 400 `invalid_cursor`. */
export function keyOfCursor<Key>(cursor: string | undefined, key: z.ZodType<Key>): Key | undefined {
  return cursor === undefined ? undefined : fromCursor(cursor, z.tuple([key]))[0];
}

type Page<Item> = { readonly items: Item[]; readonly next_cursor: string | null };

/** One page out of up to `limit + 1` rows: the one too many only says that there is more. */
export function pageOfRows<Row, Item>(
  rows: readonly Row[],
  limit: number,
  { present, keyOf }: { readonly present: (row: Row) => Item; readonly keyOf: (row: Row) => string },
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(present), next_cursor: rows.length > limit && last !== undefined ? toCursor([keyOf(last)]) : null };
}
