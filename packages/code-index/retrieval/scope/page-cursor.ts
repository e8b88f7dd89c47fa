import { createHash } from "node:crypto";
import { type AppError, refusal } from "@sightline/foundation/errors";
import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import { z } from "zod";
import type { Access, RepositoryInScope } from "#store/tenancy/read-scope.store.ts";

/** Stateless cursors of one list; they are valid only for the same question to the same index. */
export type Paging = {
  /** How many were shown before; 0 without a cursor. @throws {AppError} `invalid_cursor` (400). */
  readonly shownBefore: (cursor: string | undefined) => number;
  readonly cursorAfter: (shown: number) => string;
};

export type FoundPage<Answer> = Answer & {
  /** Continues after the first `shown` entries of the page, for callers that show fewer. */
  readonly cursorAfter: (shown: number) => string;
};

const shownSchema = z.tuple([z.string(), z.int().min(0)]);

/** `of` is everything that the order of the list depends on: the caller, the question and the builds that were searched. */
export function createPaging(of: unknown): Paging {
  const list = digest(of);
  return {
    shownBefore: (cursor) => {
      if (cursor === undefined) {
        return 0;
      }
      const [made, shown] = fromCursor(cursor, shownSchema);
      if (made !== list) {
        throw invalidCursor("The cursor belongs to another question, or the index has changed since; start again without it.");
      }
      return shown;
    },
    cursorAfter: (shown) => toCursor([list, shown]),
  };
}

type CursorQuestion = {
  readonly access: Access;
  /** What of the request the list depends on. */
  readonly question: readonly unknown[];
  /** What the question is called. */
  readonly name: string;
};

/** Cursors that also say what the pages so far were made of, sealed, so that nobody changes what they say by mistake. */
export function createSealedCursors<Shape extends Readonly<Record<string, z.ZodType<string | number>>>>(
  position: z.ZodObject<Shape>,
  { access, question, name }: CursorQuestion,
) {
  const asked = digest([access.tenant.tenantId, access.repositories?.toSorted(), ...question]);
  const names = Object.keys(position.shape);
  const cursorSchema: z.ZodType<readonly unknown[]> = z.tuple([z.string(), z.string(), ...Object.values(position.shape)]);
  return {
    write: (given: z.infer<typeof position>): string => {
      const values = Object.values(position.parse(given));
      return toCursor([asked, digest([asked, ...values]), ...values]);
    },
    /** @throws {AppError} `invalid_cursor` (400) when it is none of ours, was altered, or belongs to another question. */
    read: (cursor: string | undefined): z.infer<typeof position> | undefined => {
      if (cursor === undefined) {
        return undefined;
      }
      const [made, seal, ...values] = fromCursor(cursor, cursorSchema);
      if (seal !== digest([made, ...values])) {
        throw invalidCursor("The cursor was altered; start again without it.");
      }
      if (made !== asked) {
        throw invalidCursor(`The cursor belongs to another ${name}, other filters or another token; start again without it.`);
      }
      return position.parse(Object.fromEntries(names.map((field, index) => [field, values[index]])));
    },
  };
}

/** Stays the same while the same commits are searched; the generation alone would not do, since small pushes change its files. */
export function nameBuilds(builds: readonly Pick<RepositoryInScope, "id" | "generation" | "commit">[]): string {
  return digest(builds.map(({ id, generation, commit }) => [id, generation, commit]));
}

/** Another one whenever lines or files may have changed: a commit may be indexed again with other settings. */
export function dateBuilds(builds: readonly Pick<RepositoryInScope, "id" | "generation" | "commit" | "indexed_at">[]): readonly unknown[] {
  return builds.map(({ id, generation, commit, indexed_at: indexedAt }) => [id, generation, commit, indexedAt]);
}

/** A short name of anything that JSON can say. */
export function digest(parts: unknown): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 16);
}

export function invalidCursor(message: string): AppError {
  return refusal(400, "invalid_cursor", message);
}
