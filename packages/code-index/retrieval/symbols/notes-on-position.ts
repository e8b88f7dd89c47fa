import { hintOf, whyMissing } from "#retrieval/files/read-file.ts";
import { findFile } from "#retrieval/files/read-files.store.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { Position } from "./exact-meaning.ts";

/** That the file of a position isn't there, so that every symbol of the name was meant. */
export async function notesOnPosition(query: TenantQuery, scope: Scope, position: Position | undefined): Promise<readonly string[]> {
  if (position === undefined) {
    return [];
  }
  const { repo, path } = position;
  const place = { ...scope, repo, path: undefined, lang: undefined };
  if ((await findFile(query, place, path)) !== undefined) {
    return [];
  }
  const missing = await whyMissing(query, place, path);
  return missing.found === undefined
    ? [`There is no repository ${repo.slice(0, 200)}, so the position says nothing.`]
    : [`${repo} has no file ${path.slice(0, 500)}, so the position says nothing; ${hintOf(missing)}`];
}
