import { textFileAt } from "#retrieval/grep/read-texts.store.ts";
import type { NameFinder } from "#splitting/uses/name-finder.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { createUseResolver } from "./meaning-of-use.ts";
import type { Position } from "./exact-meaning.ts";
import type { SymbolRow } from "./read-symbols.store.ts";

/** Files of other types and modules are parsed on the way; somebody waits. */
const RESOLVE_MS = 3_000;

type Asking = { readonly finder: NameFinder; readonly name: string; readonly position: Position };
/** Without `rows` nothing is known of the place. */
type Found = { readonly rows?: readonly SymbolRow[]; readonly notes: readonly string[] };

/**
 * What a name at a position means by the syntax of its file, where no uploaded index knows it: those definitions alone that are sure,
 * else all of the name, the likeliest first; none, and a note, where no use of the name stands there.
 */
export async function definitionsAt(query: TenantQuery, asking: Scope, { finder, name, position }: Asking): Promise<Found> {
  const { repo, path, line, column } = position;
  const scope = { ...asking, repo, path: undefined, lang: undefined };
  const file = await textFileAt(query, scope, path);
  if (file === undefined) {
    return { notes: [] };
  }
  const resolve = createUseResolver({ query, scope, finder, until: performance.now() + RESOLVE_MS });
  const { meant, nothing, unknown } = await resolve(file, { line, column, name });
  if (nothing !== undefined) {
    return { notes: [`No use of ${name.slice(0, 100)} is at ${path.slice(0, 500)}:${line}: ${nothing}.`] };
  }
  const sure = meant.filter(({ isSure }) => isSure);
  const listed = sure.length > 0 ? sure : meant;
  const notes = sure.length === 0 && unknown !== undefined ? [`Syntax does not tell which definition is meant: ${unknown}.`] : [];
  return { rows: listed.map(({ row, reason }) => ({ ...row, reason })), notes };
}
