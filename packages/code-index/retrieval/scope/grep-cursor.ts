import { createHash } from "node:crypto";
import { AppError } from "@sightline/foundation/errors";
import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import { z } from "zod";
import type { GrepRequest } from "#contract.ts";
import type { Access, RepositoryInScope } from "#store/tenancy/read-scope.store.ts";

/** The last line that was shown, or looked at, and what the pages so far know. */
export type GrepPosition = {
  readonly repo: string;
  readonly path: string;
  readonly line: number;
  /** Matching lines up to there. */
  readonly seen: number;
  /** Matching lines of all pages; -1 when unknown. */
  readonly total: number;
  /** Names the builds that were searched. */
  readonly builds: string;
};

const cursorSchema = z.tuple([z.string(), z.string(), z.string(), z.string(), z.int().min(0), z.int().min(0), z.int().min(-1), z.string()]);

type Asking = { readonly access: Access; readonly request: GrepRequest };

/** Cursors are stateless: each names the question it continues. */
export function grepCursor(asking: Asking, { repo, path, line, seen, total, builds }: GrepPosition): string {
  const position = [repo, path, line, seen, total, builds];
  const question = questionOf(asking);
  return toCursor([question, digest([question, ...position]), ...position]);
}

/** @throws {AppError} `invalid_cursor` (400) when it is none of ours, was altered, or belongs to another question. */
export function grepPosition(asking: Asking): GrepPosition | undefined {
  const { cursor } = asking.request;
  if (cursor === undefined) {
    return undefined;
  }
  const [question, seal, ...position] = fromCursor(cursor, cursorSchema);
  if (seal !== digest([question, ...position])) {
    throw invalidCursor("The cursor was altered; start again without it.");
  }
  if (question !== questionOf(asking)) {
    throw invalidCursor("The cursor belongs to another pattern, other filters or another token; start again without it.");
  }
  const [repo, path, line, seen, total, builds] = position;
  return { repo, path, line, seen, total, builds };
}

/** Stays the same while the same commits are searched; the generation alone would not do, since small pushes change its files. */
export function nameBuilds(builds: readonly Pick<RepositoryInScope, "id" | "generation" | "commit">[]): string {
  return digest(builds.map(({ id, generation, commit }) => [id, generation, commit]));
}

function questionOf({ access, request }: Asking): string {
  const { pattern, regex, case: letters, repo, ref, path, lang } = request;
  const rights = access.repositories?.toSorted() ?? null;
  const filters = [repo ?? null, ref ?? null, path ?? null, lang ?? null];
  return digest([access.tenant.tenantId, rights, pattern, regex, letters, ...filters]);
}

function digest(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 16);
}

function invalidCursor(message: string): AppError {
  return new AppError({ code: "invalid_cursor", status: 400, message });
}
