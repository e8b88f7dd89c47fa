import { fromRoot } from "#retrieval/files/read-file.ts";
import { invalidQuery } from "#retrieval/query/refusals.ts";
import { readTexts } from "#retrieval/grep/read-texts.store.ts";
import { unpackOccurrences } from "#scip/format/packed-occurrences.ts";
import { namesOfSymbol } from "#scip/format/symbol-names.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import { exactDocumentsAt, exactSymbolsNamed, sameSymbols, type ExactSymbol } from "./read-exact.store.ts";
import type { AskedName } from "./symbol-name.ts";

/** Where a name stands: line and column from 1. */
export type Position = { readonly repo: string; readonly path: string; readonly line: number; readonly column: number | undefined };

type Given = { readonly position?: string | undefined; readonly position_repo?: string | undefined; readonly repo?: string | undefined };

/** @throws {AppError} `invalid_query` (400) */
export function readPosition({ position = "", position_repo: own, repo = own }: Given): Position | undefined {
  if (position === "") {
    return undefined;
  }
  const [, path, line = "", column] = /^(.+?):(\d{1,9})(?::(\d{1,9}))?$/u.exec(position) ?? [];
  if (path === undefined || repo === undefined || path.includes("\0")) {
    throw invalidQuery("A position is path:line or path:line:column, and needs the repository that the path is in.");
  }
  return { repo: own ?? repo, path: fromRoot(path), line: Number(line), column: column === undefined ? undefined : Number(column) };
}

/** A symbol that only one document of an upload knows; it has no number of its own. */
export type LocalSymbol = { readonly upload_id: number; readonly document: number; readonly index: number };

/** Which symbols of uploaded indexes a name means. */
export type ExactMeaning = {
  readonly symbols: readonly ExactSymbol[];
  readonly locals: readonly LocalSymbol[];
  /** Symbols that have the name, too, and are not meant. */
  readonly others: readonly ExactSymbol[];
  /** Whether it is what stands at the position. */
  readonly isPlaced: boolean;
};

type Asking = { readonly symbolName: AskedName; readonly position: Position | undefined };

/** What a name means, at a position that an index knows or anywhere; `undefined` where no index knows it. */
export async function findExactMeaning(
  query: TenantQuery,
  asking: Scope,
  { symbolName, position }: Asking,
): Promise<ExactMeaning | undefined> {
  const scope: Scope = { ...asking, path: undefined, lang: undefined };
  const here = position === undefined ? [] : await symbolsAt(query, scope, position, symbolName);
  const shared = here.flatMap(({ upload_id, number }) => (number === -1 ? [] : [{ upload_id, number }]));
  const locals = here.filter(({ number }) => number === -1);
  const named = await exactSymbolsNamed(query, scope, symbolName.spellings);
  const isPlaced = here.length > 0;
  const symbols = isPlaced ? await sameSymbols(query, scope, shared) : sameIn(named, nearestSymbols(symbolName, named));
  const meant = new Set(symbols.map(({ symbol }) => symbol));
  const others = named.filter(({ symbol }) => !meant.has(symbol));
  return symbols.length + locals.length === 0 ? undefined : { symbols, locals, others, isPlaced };
}

/** The symbols at a place; all of the name in its line where no column was given. */
async function symbolsAt(query: TenantQuery, scope: Scope, { repo, path, line, column = 0 }: Position, { name }: AskedName) {
  const documents = await exactDocumentsAt(query, { ...scope, repo }, path);
  const texts = await readTexts(
    query,
    scope,
    documents.map((document) => document.document_id),
  );
  return documents.flatMap(({ upload_id, number: document, document_id: id, symbols, occurrences }) => {
    const text = texts.get(id)?.split("\n")[line - 1] ?? "";
    const named = [...unpackOccurrences(occurrences)].filter((at) => at.line === line - 1 && text.slice(at.start, at.end) === name);
    const closest = named.filter(({ start, end }) => column > start && column <= end + 1);
    const indexes = new Set((closest.length > 0 ? closest : named).map(({ symbol }) => symbol));
    return [...indexes].map((index) => ({ upload_id, document, index, number: symbols[index] ?? -1 }));
  });
}

/** In the same case, inside of what was named, and defined in the repository, as far as there are any. */
function nearestSymbols({ name, outer }: AskedName, symbols: readonly ExactSymbol[]): readonly ExactSymbol[] {
  const cased = preferred(symbols, (symbol) => symbol.name === name);
  const inside = outer === undefined ? cased : preferred(cased, ({ symbol }) => namesOfSymbol(symbol).names.slice(0, -1).includes(outer));
  return preferred(inside, ({ definitions }) => definitions.length > 0);
}

/** A symbol that another upload uses is the same there, though it does not define it. */
function sameIn(named: readonly ExactSymbol[], meant: readonly ExactSymbol[]): readonly ExactSymbol[] {
  const texts = new Set(meant.map(({ symbol }) => symbol));
  return named.filter(({ symbol }) => texts.has(symbol));
}

function preferred<Item>(items: readonly Item[], isPreferred: (item: Item) => boolean): readonly Item[] {
  const some = items.filter(isPreferred);
  return some.length > 0 ? some : items;
}
