import type { FileKind, FoundSymbol, SymbolsAnswer, SymbolsRequest } from "#contract.ts";
import { findSymbolRows, nearNames, type SymbolRow } from "./read-symbols.store.ts";
import type { Access, Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { askedScope, notesOnEmptyScope, notesOnLeftOut } from "#retrieval/scope/asked-scope.ts";
import { findFileKind } from "#retrieval/ranking/file-kind.ts";
import { createPaging, nameBuilds, type FoundPage } from "#retrieval/scope/page-cursor.ts";
import { readScope } from "#retrieval/scope/read-scope.ts";
import { readDefinitionTexts } from "./definition-text.ts";
import { definitionsAt } from "./definitions-at.ts";
import { withExactDefinitions } from "./exact-definitions.ts";
import { findExactMeaning, readPosition, type Position } from "./exact-meaning.ts";
import { readSymbolName, type AskedName } from "./symbol-name.ts";
import type { NameFinder } from "#splitting/uses/name-finder.ts";

const READ_MS = 5_000;
/** Most definitions of one name. */
const MAX_DEFINITIONS = 2_000;

export type SymbolDependencies = { readonly database: CodeIndexDatabase; readonly finder: NameFinder };

/**
 * Where a name is defined: as it was written, else in other case, else names that begin with it; what it means at a position, as far as
 * an uploaded index or syntax tells.
 *
 * @throws {AppError} `invalid_query`, `invalid_cursor` (400), and as `readScope`.
 */
export async function findSymbols(
  { database, finder }: SymbolDependencies,
  access: Access,
  { name, kind, limit, cursor, ...where }: SymbolsRequest,
): Promise<FoundPage<SymbolsAnswer>> {
  const began = performance.now();
  const symbolName = readSymbolName(name);
  const scope = askedScope(access, where);
  return readScope({ database, scope, milliseconds: READ_MS }, async (transaction, builds) => {
    const paging = createPaging(["symbols", access.tenant.tenantId, symbolName, kind, where, nameBuilds(builds)]);
    const before = paging.shownBefore(cursor);
    const named = await lookUp(transaction, scope, symbolName, kind);
    const position = readPosition(where);
    const meant = await atPosition(transaction, scope, { symbolName, position, finder }, named.isNear ? [] : named.rows);
    const exact = meant.rows.filter((row) => kind === undefined || row.kind === kind);
    // What syntax says of a position is all that there is to say of it.
    const isTold = meant.isOrdered || meant.notes.length > 0;
    const { rows, isNear } = exact.length > 0 || isTold ? { rows: exact, isNear: false } : named;
    const found = meant.isOrdered ? rows : nearestTo(symbolName, rows.slice(0, MAX_DEFINITIONS));
    const page = found.slice(before, before + limit);
    const shown = before + page.length;
    return {
      symbols: await presentSymbols(transaction, scope, page),
      total: found.length,
      partial: rows.length > MAX_DEFINITIONS,
      notes: [
        ...(rows.length === 0
          ? [...(await notesOnNothing(transaction, scope, symbolName, kind)), ...(await notesOnEmptyScope(transaction, scope))]
          : notesOn({ symbolName, isNear, rows })),
        ...meant.notes,
        ...(before === 0 ? await notesOnLeftOut(transaction, scope) : []),
      ],
      next_cursor: shown < found.length ? paging.cursorAfter(shown) : null,
      ms: Math.round((performance.now() - began) * 10) / 10,
      cursorAfter: (count) => paging.cursorAfter(before + count),
    };
  });
}

type Asking = { readonly symbolName: AskedName; readonly position: Position | undefined; readonly finder: NameFinder };
/** `isOrdered` where the likeliest is first already. */
type Meant = { readonly rows: readonly SymbolRow[]; readonly notes: readonly string[]; readonly isOrdered: boolean };

/** The definitions of exactly the name, or of the name in other case; nearest first. */
export async function findDefinitions(query: TenantQuery, scope: Scope, asking: Asking): Promise<Omit<Meant, "isOrdered">> {
  const rows = await findSymbolRows(query, scope, { names: asking.symbolName.spellings, how: "whole", limit: MAX_DEFINITIONS });
  const meant = await atPosition(query, scope, asking, rows);
  return meant.isOrdered ? meant : { ...meant, rows: nearestTo(asking.symbolName, meant.rows) };
}

/** The definitions, exactly as far as uploaded indexes know them, else as syntax tells what is meant at a position. */
async function atPosition(query: TenantQuery, scope: Scope, asking: Asking, rows: readonly SymbolRow[]): Promise<Meant> {
  const { symbolName, position, finder } = asking;
  const meaning = await findExactMeaning(query, scope, asking);
  if (position !== undefined && meaning?.isPlaced !== true) {
    const { rows: meant, notes } = await definitionsAt(query, scope, { finder, name: symbolName.name, position });
    return { rows: meant ?? rows, notes, isOrdered: meant !== undefined };
  }
  return {
    rows:
      meaning === undefined ? rows : await withExactDefinitions(query, scope, { symbolName, meaning, rows, isOne: position !== undefined }),
    notes: [],
    isOrdered: false,
  };
}

type Looked = { readonly rows: readonly SymbolRow[]; readonly isNear: boolean };

async function lookUp(query: TenantQuery, scope: Scope, symbolName: AskedName, kind: string | undefined): Promise<Looked> {
  const rows = await findSymbolRows(query, scope, { names: symbolName.spellings, how: "whole", kind, limit: MAX_DEFINITIONS + 1 });
  return rows.length > 0
    ? { rows, isNear: false }
    : {
        rows: await findSymbolRows(query, scope, { names: symbolName.spellings, how: "beginning", kind, limit: MAX_DEFINITIONS + 1 }),
        isNear: true,
      };
}

export async function presentSymbols(query: TenantQuery, scope: Scope, rows: readonly SymbolRow[]): Promise<FoundSymbol[]> {
  const texts = await readDefinitionTexts(query, scope, rows);
  return rows.map(({ document_id: _document, column: _column, description, precision = "name", reason = null, ...row }, index) => ({
    ...row,
    reason,
    signature: description?.signature || (texts[index]?.signature ?? ""),
    comment: description?.comment || (texts[index]?.comment ?? ""),
    precision,
  }));
}

const KINDS: readonly FileKind[] = ["source", "declaration", "document", "data", "example", "test", "generated", "vendored"];

/** Definitions inside the named outer definition first, then those in the same case, then by kind of file. */
function nearestTo(symbolName: AskedName, rows: readonly SymbolRow[]): readonly SymbolRow[] {
  return sortedBy(rows, ({ name, scope, path, precision }) => {
    const inOtherPlace = isInside({ name, scope }, symbolName.outer) ? 0 : 100;
    return (
      (precision === "exact" ? 0 : 1_000) + inOtherPlace + (lastOf(name) === symbolName.name ? 0 : 10) + KINDS.indexOf(findFileKind(path))
    );
  });
}

/** The items by a number, which is worked out once for each. */
export function sortedBy<Item>(items: readonly Item[], numberOf: (item: Item) => number): readonly Item[] {
  const numbers = new Map(items.map((item) => [item, numberOf(item)]));
  return items.toSorted((one, other) => (numbers.get(one) ?? 0) - (numbers.get(other) ?? 0));
}

function lastOf(name: string): string {
  return /[^.:#]+$/u.exec(name)?.[0] ?? name;
}

/** `Server` is part of the name in `Server::start`, and of the scope of a method of a class, `Net::Server` or `Server<T>`. */
function isInside({ name, scope }: Pick<SymbolRow, "name" | "scope">, outer: string | undefined): boolean {
  if (outer === undefined) {
    return true;
  }
  const around = [...scope.replaceAll(/<[^›]*/gu, "").split(/ ?› |::|[.#]/u), ...name.split(/::|[.#]/u).slice(0, -1)];
  return around.some((part) => part.toLowerCase() === outer.toLowerCase());
}

/** Whether it is of another kind than was asked for, or nearly spelt so. */
async function notesOnNothing(query: TenantQuery, scope: Scope, symbolName: AskedName, kind: string | undefined): Promise<string[]> {
  const others = kind === undefined ? [] : (await lookUp(query, scope, symbolName, undefined)).rows;
  if (others.length > 0) {
    const counts = [...Map.groupBy(others, (row) => row.kind)].map(([of, { length }]) => `${of} ${length}`);
    return [`No ${kind} has the name ${symbolName.name.slice(0, 100)}. By kind: ${counts.join(", ")}; leave kind out.`];
  }
  return [
    `Nothing is defined under the name ${symbolName.name.slice(0, 100)}, or under one that begins so; ${await suggestNames(query, scope, symbolName)}.`,
  ];
}

/** What else may have been meant by a name that nothing has. */
export async function suggestNames(query: TenantQuery, scope: Scope, { name }: AskedName): Promise<string> {
  const near = await nearNames(query, scope, name.toLowerCase());
  return near.length === 0 ? "search finds names by their words" : `did you mean ${near.join(" or ")}`;
}

function notesOn({ symbolName, isNear, rows }: Looked & { readonly symbolName: AskedName }): string[] {
  return [
    ...(isNear ? [`Nothing has exactly the name ${symbolName.name.slice(0, 100)}; these begin with it.`] : []),
    ...(symbolName.outer !== undefined && !rows.some((row) => isInside(row, symbolName.outer))
      ? [`None is known to be inside of ${symbolName.outer.slice(0, 100)}; these have the name elsewhere.`]
      : []),
    ...(rows.length > MAX_DEFINITIONS ? [`There are more than ${MAX_DEFINITIONS}; name a repository, a path or a kind.`] : []),
  ];
}
