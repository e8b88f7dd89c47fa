import { createHash } from "node:crypto";
import { AppError } from "@sightline/foundation/errors";
import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import { z } from "zod";
import type { SearchRequest } from "#contract.ts";
import type { Access, RepositoryInScope } from "#store/tenancy/read-scope.store.ts";
import type { LegName } from "#retrieval/ranking/fuse.ts";

/** Where a page begins, and what the pages before were made of. */
export type Position = {
  readonly offset: number;
  /** Names the builds that were searched: another one when the index changed. */
  readonly builds: string;
  /** The legs that answered. */
  readonly legs: readonly LegName[];
};

const LEGS: readonly LegName[] = ["semantic", "bm25", "exact"];

const cursorSchema = z.tuple([z.string(), z.string(), z.int().min(0).max(10_000), z.int().min(0).max(7), z.string()]);

type Asking = { readonly access: Access; readonly request: SearchRequest };

/** Cursors are stateless: each names the question it continues. */
export function cursorFor(asking: Asking, { offset, builds, legs }: Position): string {
  const parts = [questionOf(asking), builds, offset, LEGS.reduce((bits, leg, index) => bits + (legs.includes(leg) ? 2 ** index : 0), 0)];
  return toCursor([...parts, digest(parts)]);
}

/** @throws {AppError} `invalid_cursor` (400) when it is none of ours, was altered, or belongs to another question. */
export function positionOf(asking: Asking): Position | undefined {
  const { cursor } = asking.request;
  if (cursor === undefined) {
    return undefined;
  }
  const [question, builds, offset, bits, seal] = fromCursor(cursor, cursorSchema);
  if (seal !== digest([question, builds, offset, bits])) {
    throw invalidCursor("The cursor was altered; start again without it.");
  }
  if (question !== questionOf(asking)) {
    throw invalidCursor("The cursor belongs to another query, other filters or another token; start again without it.");
  }
  return { offset, builds, legs: LEGS.filter((_, index) => Math.floor(bits / 2 ** index) % 2 === 1) };
}

/** Stays the same while the same builds are searched; an incremental build keeps its generation, so the commit counts, too. */
export function nameBuilds(repositories: readonly RepositoryInScope[]): string {
  return digest(repositories.map(({ id, generation, commit, indexed_at: indexedAt }) => [id, generation, commit, indexedAt]));
}

function questionOf({ access, request }: Asking): string {
  const { query, repo, ref, path, lang, symbol } = request;
  const rights = access.repositories?.toSorted() ?? null;
  return digest([access.tenant.tenantId, rights, query, repo ?? null, ref ?? null, path ?? null, lang ?? null, symbol ?? null]);
}

function digest(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 16);
}

function invalidCursor(message: string): AppError {
  return new AppError({ code: "invalid_cursor", status: 400, message });
}
