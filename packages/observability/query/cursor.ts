import { AppError } from "@sightline/foundation/errors";
import { z } from "zod";
import type { Position } from "#store/position.ts";

/** The year 1, the first of a producer's timestamps; PostgreSQL's own go back a few thousand years more and then fail. */
const FIRST_MICROS = -62_135_596_800 * 1e6;

const microsSchema = z
  .string()
  .regex(/^-?\d{1,18}$/)
  .refine((micros) => Number(micros) >= FIRST_MICROS);
const positionSchema = z.tuple([microsSchema, z.uuid()]);

/** A place in a list as clients carry it; opaque to them. */
function toCursor({ micros, id }: Position): string {
  return Buffer.from(JSON.stringify([micros, id])).toString("base64url");
}

/** @throws {AppError} 400 `invalid_cursor`. */
export function fromCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) {
    return undefined;
  }
  const parsed = positionSchema.safeParse(parseJson(Buffer.from(cursor, "base64url").toString()));
  if (!parsed.success) {
    throw new AppError({
      code: "invalid_cursor",
      status: 400,
      message: "The cursor is not one that this list gave out; start again without it.",
    });
  }
  const [micros, id] = parsed.data;
  return { micros, id };
}

/** Asked for one row more than the page holds, the store tells by it whether there is a next page. */
export function toPage<Row extends { readonly id: string; readonly position: string }, Item>(
  rows: readonly Row[],
  limit: number,
  present: (row: Row) => Item,
): { items: Item[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const isLast = rows.length <= limit || last === undefined;
  return { items: shown.map(present), next_cursor: isLast ? null : toCursor({ micros: last.position, id: last.id }) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
