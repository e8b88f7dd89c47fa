import type { TextFile } from "#retrieval/grep/read-texts.store.ts";
import { unpackOccurrences } from "#scip/format/packed-occurrences.ts";
import { namesOfSymbol } from "#scip/format/symbol-names.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { ExactMeaning } from "./exact-meaning.ts";
import { coveredBy, exactDocumentsOf } from "./read-exact.store.ts";

/** A line from 1 and where in it the name begins, from 0. */
export type ExactLine = { readonly line: number; readonly column: number; readonly isDefinition: boolean };

export type ExactDefinition = TextFile & {
  readonly line: number;
  readonly names: readonly string[];
  readonly scope: string;
  readonly kind: string;
  readonly signature: string;
  readonly comment: string;
};

/** Where exactly the symbols are that a name means, in the files that are as the uploaded indexes saw them. */
export type ExactPlaces = {
  readonly files: readonly TextFile[];
  /** By document: none where an index knows that the name is something else there. */
  readonly lines: ReadonlyMap<number, readonly ExactLine[]>;
  readonly definitions: readonly ExactDefinition[];
};

/** Most documents that are read for one name. */
const MAX_DOCUMENTS = 5_000;

/** Reads the documents that define what is meant, or all that have it. */
export async function readExactPlaces(
  query: TenantQuery,
  scope: Scope,
  { symbols, locals }: ExactMeaning,
  which: "definitions" | "documents",
): Promise<ExactPlaces> {
  const numbers = symbols.flatMap((symbol) => symbol[which].map((number) => ({ upload_id: symbol.upload_id, number })));
  const wanted = [...locals.map(({ upload_id, document }) => ({ upload_id, number: document })), ...numbers];
  const documents = wanted.length === 0 ? [] : await exactDocumentsOf(query, scope, wanted.slice(0, MAX_DOCUMENTS));
  const texts = new Map(symbols.map(({ upload_id, number, symbol }) => [`${upload_id} ${number}`, symbol]));
  const ownLocals = new Set(locals.map(({ upload_id, document, index }) => `${upload_id} ${document} ${index}`));
  const lines = new Map<number, ExactLine[]>();
  const definitions = new Map<string, ExactDefinition>();
  for (const { upload_id: upload, number, symbols: own, signatures, comments, occurrences, ...file } of documents) {
    const meant = own.map((symbol, index) =>
      symbol === -1 ? ownLocals.has(`${upload} ${number} ${index}`) : texts.has(`${upload} ${symbol}`),
    );
    const known = lines.get(file.document_id) ?? [];
    lines.set(file.document_id, known);
    for (const { line, start, symbol: index, isDefinition } of unpackOccurrences(occurrences)) {
      if (meant[index] === true) {
        known.push({ line: line + 1, column: start, isDefinition });
      }
      if (meant[index] === true && isDefinition) {
        const said = { signature: signatures[index] ?? "", comment: comments[index] ?? "" };
        definitions.set(`${file.document_id} ${line} ${start}`, {
          ...file,
          line: line + 1,
          ...namesOfSymbol(texts.get(`${upload} ${own[index]}`) ?? "local "),
          ...said,
        });
      }
    }
  }
  return { files: documents, lines, definitions: [...definitions.values()] };
}

/** The same, with the other documents that the indexes of these symbols know: there the name is something else. */
export async function withCovered(
  query: TenantQuery,
  scope: Scope,
  { meaning, places, documents }: { readonly meaning: ExactMeaning; readonly places: ExactPlaces; readonly documents: readonly number[] },
): Promise<ExactPlaces> {
  const uploads = [...new Set([...meaning.symbols, ...meaning.locals].map((one) => one.upload_id))];
  const others = documents.filter((id) => !places.lines.has(id));
  const covered = await coveredBy(query, scope, { uploads, documents: others });
  return { ...places, lines: new Map([...places.lines, ...[...covered].map((id) => [id, []] as const)]) };
}
