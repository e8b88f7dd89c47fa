import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { ExactMeaning } from "./exact-meaning.ts";
import { readExactPlaces, withCovered, type ExactDefinition } from "./exact-places.ts";
import type { SymbolRow } from "./read-symbols.store.ts";
import type { AskedName } from "./symbol-name.ts";

type Known = {
  readonly asked: AskedName;
  readonly meaning: ExactMeaning;
  /** What is called so. */
  readonly rows: readonly SymbolRow[];
  /** Whether one place's name is asked for: then there are no others of the name where it is exactly known. */
  readonly isOne: boolean;
};

/** The exact definitions, and in files that no index knows as they are now those that are called so. */
export async function withExactDefinitions(
  query: TenantQuery,
  scope: Scope,
  { asked, meaning, rows, isOne }: Known,
): Promise<readonly SymbolRow[]> {
  const places = await readExactPlaces(query, scope, meaning, "definitions");
  const exact = places.definitions.map((definition) => rowOf(definition, rows, asked));
  if (isOne && exact.length > 0) {
    return exact;
  }
  const { lines } = await withCovered(query, scope, { meaning, places, documents: rows.map((row) => row.document_id) });
  return [...exact, ...rows.filter((row) => !lines.has(row.document_id))];
}

/** As the grammar has the definition around it, where it has one. */
function rowOf(
  { line, names, bytes: _bytes, scope, kind, signature, comment, ...file }: ExactDefinition,
  rows: readonly SymbolRow[],
  asked: AskedName,
): SymbolRow {
  const around = rows.filter((row) => row.document_id === file.document_id && row.start_line <= line && line <= row.end_line);
  const innermost = around.toSorted((one, other) => other.start_line - one.start_line)[0];
  const own = innermost ?? { ...file, name: names.at(-1) ?? asked.name, kind, scope, start_line: line, end_line: line };
  return { ...own, precision: "exact", said: { signature, comment } };
}
