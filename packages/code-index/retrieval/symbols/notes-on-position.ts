import { suggestFiles, whyMissing } from "#retrieval/files/read-file.ts";
import { findFile } from "#retrieval/files/read-files.store.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { ExactMeaning, Position } from "./exact-meaning.ts";

type Known = { readonly name: string; readonly meaning: ExactMeaning | undefined };

/** Why a position says nothing, so that every symbol of the name was meant: its file isn't there, or no index has the name in its line. */
export async function notesOnPosition(
  query: TenantQuery,
  scope: Scope,
  position: Position | undefined,
  { name, meaning }: Known,
): Promise<readonly string[]> {
  if (position === undefined || meaning?.isPlaced === true) {
    return [];
  }
  const { repo, path, line } = position;
  const place = { ...scope, repo, path: undefined, lang: undefined };
  if ((await findFile(query, place, path)) !== undefined) {
    // Without any index all is by name, and is said to be so.
    const unknown = `No uploaded index has ${name.slice(0, 100)} in line ${line} of ${path.slice(0, 500)}`;
    return meaning === undefined ? [] : [`${unknown}, so the position says nothing.`];
  }
  const missing = await whyMissing(query, place, path);
  return missing.found === undefined
    ? [`There is no repository ${repo.slice(0, 200)}, so the position says nothing.`]
    : [`${repo} has no file ${path.slice(0, 500)}, so the position says nothing; ${suggestFiles(missing)}`];
}
