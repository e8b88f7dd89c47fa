import { createHash } from "node:crypto";
import { AppError } from "@sightline/foundation/errors";
import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import { z } from "zod";

/** Stateless cursors of one list; they are valid only for the same question to the same index. */
export type Paging = {
  /** How many were shown before; 0 without a cursor. @throws {AppError} `invalid_cursor` (400). */
  readonly shownBefore: (cursor: string | undefined) => number;
  readonly cursorAfter: (shown: number) => string;
};

const positionSchema = z.tuple([z.string(), z.int().min(0)]);

/** `of` is everything that the order of the list depends on: the caller, the question and the builds that were searched. */
export function createPaging(of: unknown): Paging {
  const list = createHash("sha256").update(JSON.stringify(of)).digest("base64url").slice(0, 16);
  return {
    shownBefore: (cursor) => {
      if (cursor === undefined) {
        return 0;
      }
      const [made, shown] = fromCursor(cursor, positionSchema);
      if (made !== list) {
        throw new AppError({
          code: "invalid_cursor",
          status: 400,
          message: "The cursor belongs to another question, or the index has changed since; start again without it.",
        });
      }
      return shown;
    },
    cursorAfter: (shown) => toCursor([list, shown]),
  };
}
