import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { readExactDefinitions } from "./exact-places.ts";
import type { ExactMeaning } from "./exact-meaning.ts";
import { relatedSymbols, type ExactSymbol } from "./read-exact.store.ts";

const LISTED = 50;

type Overriding = { readonly meaning: ExactMeaning; readonly overridden: readonly ExactSymbol[] };

/** The meaning with what it overrides, of the same name: calls through a base may be calls of its override. */
export async function withOverridden(query: TenantQuery, scope: Scope, meaning: ExactMeaning): Promise<Overriding> {
  const names = new Set(meaning.symbols.map(({ name }) => name));
  const bases = (await relatedSymbols(query, scope, { of: meaning.symbols, how: "implemented" })).filter(({ name }) => names.has(name));
  const added = new Set(bases.map(({ symbol }) => symbol));
  const others = meaning.others.filter(({ symbol }) => !added.has(symbol));
  return {
    meaning: { ...meaning, symbols: [...meaning.symbols, ...bases], others },
    overridden: bases.filter(({ definitions }) => definitions.length > 0),
  };
}

/** Symbols that uploaded indexes know to implement or override it. */
export async function notesOnImplementations(
  query: TenantQuery,
  scope: Scope,
  meaning: ExactMeaning | undefined,
): Promise<readonly string[]> {
  const symbols = meaning === undefined ? [] : await relatedSymbols(query, scope, { of: meaning.symbols, how: "implementing" });
  const found = await readExactDefinitions(query, scope, { symbols, locals: [], others: [], isPlaced: false });
  const places = found.slice(0, LISTED).map(({ names, path, line }) => `${names.slice(-2).join(".")} (${path}:${line})`);
  return places.length === 0 ? [] : [`By an uploaded index these implement or override it: ${places.join(", ")}.`];
}
