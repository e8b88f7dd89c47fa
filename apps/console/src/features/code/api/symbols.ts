import { type FoundSymbol, referencesAnswerSchema, symbolsAnswerSchema } from "@sightline/code-index/contract";
import { queryOptions } from "@tanstack/react-query";
import { codeIndex } from "#http/calls.ts";
import { answerTo, pageByPage } from "#http/queries.ts";

/** Where to look for a name, a branch of a repository, or everywhere when both are left out; and where it stands, so that it alone is meant. */
export type Place = {
  readonly repo?: string | undefined;
  readonly ref?: string | undefined;
  /** `path:line:column` */
  readonly position?: string | undefined;
  readonly position_repo?: string | undefined;
};

const STALE_MS = 60_000;
const PAGE_SIZE = 50;

/** Where a name is defined. */
export function symbolsQuery(name: string, place: Place) {
  const queryFn = answerTo(codeIndex.get("/api/v1/symbols", { query: { name, ...place }, answer: symbolsAnswerSchema }));
  return queryOptions({ queryKey: ["symbols", name, place], queryFn, staleTime: STALE_MS });
}

/** Where a name is defined and where it is used. */
export function referencesQuery(symbol: string, place: Place) {
  const call = codeIndex.get("/api/v1/references", { query: { symbol, ...place, limit: PAGE_SIZE }, answer: referencesAnswerSchema });
  return { ...pageByPage(["references", symbol, place], call), staleTime: STALE_MS };
}

/** How often a name is used. */
export function usesQuery(symbol: string, place: Place) {
  const queryFn = answerTo(codeIndex.get("/api/v1/references", { query: { symbol, ...place, limit: 1 }, answer: referencesAnswerSchema }));
  return queryOptions({ queryKey: ["uses", symbol, place], queryFn, staleTime: STALE_MS });
}

/**
 * The definitions of exactly a name, or of what it is another name for: in the server's order where it knows what is meant, else those of
 * the file where it was met first.
 */
export function pickDefinitions(name: string, path: string, symbols: readonly FoundSymbol[]): readonly FoundSymbol[] {
  if (symbols.some(({ reason }) => reason !== null)) {
    return symbols;
  }
  const exact = symbols.filter((symbol) => symbol.precision === "exact" || /[^.:#]+$/u.exec(symbol.name)?.[0] === name);
  return exact.toSorted((one, other) => Number(other.path === path) - Number(one.path === path));
}
