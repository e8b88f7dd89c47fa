import { parseJson } from "./parse-json.ts";
import type { z } from "zod";
import { refusal } from "./errors.ts";

/** Encodes a position in a list for clients: opaque to them, and stateless here. */
export function toCursor(position: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** @throws {AppError} 400 `invalid_cursor` when it is none that `toCursor` made of such a position. */
export function fromCursor<Position>(cursor: string, position: z.ZodType<Position>): Position {
  const parsed = position.safeParse(parseJson(Buffer.from(cursor, "base64url").toString()));
  if (!parsed.success) {
    throw refusal(400, "invalid_cursor", "The cursor is not one that this list gave out; start again without it.");
  }
  return parsed.data;
}
