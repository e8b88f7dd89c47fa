import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { ExactMeaning } from "./exact-meaning.ts";
import { createPlaceReader, knownDocuments, readExactDefinitions, type ExactDefinition } from "./exact-places.ts";
import type { SymbolRow } from "./read-symbols.store.ts";
import type { AskedName } from "./symbol-name.ts";

type Known = {
  readonly symbolName: AskedName;
  readonly meaning: ExactMeaning;
  /** What is called so. */
  readonly rows: readonly SymbolRow[];
  /** Whether one place's name is asked for: then there are no others of the name where it is exactly known. */
  readonly isOne: boolean;
};

/** The exact definitions, and those called so of which no index knows what they define. */
export async function withExactDefinitions(
  query: TenantQuery,
  scope: Scope,
  { symbolName, meaning, rows, isOne }: Known,
): Promise<readonly SymbolRow[]> {
  const definitions = await readExactDefinitions(query, scope, meaning);
  const rowsIn = Map.groupBy(rows, fileOf);
  const aroundIn = (file: File, line: number) => innermost(rowsIn.get(fileOf(file)) ?? [], line);
  const exact = definitions.map((definition) => exactRow(definition, aroundIn(definition, definition.line), symbolName));
  if (isOne && exact.length > 0) {
    return exact;
  }
  const documents = rows.map((row) => row.document_id);
  const placesIn = createPlaceReader(meaning);
  const defined = (await knownDocuments(query, scope, meaning, documents)).flatMap((document) =>
    [...placesIn([document])].filter((place) => place.isDefinition && !place.isLocal).map(({ line }) => aroundIn(document, line + 1)),
  );
  const known = new Set(defined);
  return [...exact, ...rows.filter((row) => !known.has(row))];
}

/** A definition as the grammar has it, where it has one. */
function exactRow(definition: ExactDefinition, around: SymbolRow | undefined, asked: AskedName): SymbolRow {
  const { line, names, bytes: _bytes, scope, kind, signature, comment, ...file } = definition;
  const own = around ?? { ...file, name: names.at(-1) ?? asked.name, kind, scope, start_line: line, end_line: line };
  return { ...own, precision: "exact", description: { signature, comment } };
}

type File = { readonly repo: string; readonly path: string };

function fileOf({ repo, path }: File): string {
  return `${repo} ${path}`;
}

function innermost(rows: readonly SymbolRow[], line: number): SymbolRow | undefined {
  const around = rows.filter((row) => row.start_line <= line && line <= row.end_line);
  return around.toSorted((one, other) => other.start_line - one.start_line)[0];
}
