import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import { z } from "zod";
import type { Position } from "#store/position.ts";

/** The year 1, the first of a producer's timestamps; PostgreSQL's own go back a few thousand years more and then fail. */
const FIRST_MICROS = -62_135_596_800 * 1e6;

export const microsSchema = z
  .string()
  .regex(/^-?\d{1,18}$/)
  .refine((micros) => Number(micros) >= FIRST_MICROS);
const positionSchema = z.tuple([microsSchema, z.uuid()]);

/** @throws {AppError} 400 `invalid_cursor`. */
export function readCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) {
    return undefined;
  }
  const [micros, id] = fromCursor(cursor, positionSchema);
  return { micros, id };
}

/** The store is asked for one row more than the page holds; when it comes, there is a next page. */
export function toPage<Row extends { readonly id: string; readonly position: string }, Item>(
  rows: readonly Row[],
  limit: number,
  present: (row: Row) => Item,
): { items: Item[]; next_cursor: string | null } {
  const { shown, next_cursor: next } = cutPage(rows, limit, ({ position, id }) => [position, id]);
  return { items: shown.map(present), next_cursor: next };
}

/** The same, of rows that a cursor finds by another position than time and id. */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => readonly unknown[],
): { readonly shown: readonly Row[]; readonly next_cursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { shown, next_cursor: rows.length <= limit || last === undefined ? null : toCursor(positionOf(last)) };
}
