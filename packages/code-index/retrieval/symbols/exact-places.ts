import type { TextFile } from "#retrieval/grep/read-texts.store.ts";
import { unpackOccurrences, type Occurrence } from "#scip/format/packed-occurrences.ts";
import { namesOfSymbol } from "#scip/format/symbol-names.ts";
import type { Scope, TenantQuery } from "#store/tenancy/read-scope.store.ts";
import type { ExactMeaning } from "./exact-meaning.ts";
import { readExactDocuments, knownDocumentsAmong, type ExactDocument, type ExactSymbol, type KnownDocument } from "./read-exact.store.ts";

export type ExactDefinition = TextFile & {
  readonly line: number;
  readonly names: readonly string[];
  readonly scope: string;
  readonly kind: string;
  readonly signature: string;
  readonly comment: string;
};

/** A place where an uploaded index knows that the name is what is meant, or another symbol that may have the name. */
export type KnownPlace = Occurrence & {
  readonly isMeant: boolean;
  /** Whether no other document can use it. The index doesn't name it then. */
  readonly isLocal: boolean;
};

/** Most documents that are read for one name. */
const MAX_DOCUMENTS = 5_000;

/** The definitions of what is meant. */
export async function readExactDefinitions(query: TenantQuery, scope: Scope, meaning: ExactMeaning): Promise<readonly ExactDefinition[]> {
  const documents = await documentsWith(query, scope, meaning, "definitions");
  const texts = new Map(meaning.symbols.map(({ upload_id, number, symbol }) => [`${upload_id} ${number}`, symbol]));
  const placesIn = createPlaceReader(meaning);
  const definitions = documents.flatMap((document) => {
    const { upload_id: upload, number: _number, symbols, signatures, comments, occurrences: _occurrences, ...file } = document;
    const defining = [...placesIn([document])].filter(({ isMeant, isDefinition }) => isMeant && isDefinition);
    return defining.map(({ line, start, symbol }): readonly [string, ExactDefinition] => {
      const names = namesOfSymbol(texts.get(`${upload} ${symbols[symbol]}`) ?? "local ");
      const said = { signature: signatures[symbol] ?? "", comment: comments[symbol] ?? "" };
      return [`${file.document_id} ${line} ${start}`, { ...file, line: line + 1, ...names, ...said }];
    });
  });
  return [...new Map(definitions).values()];
}

/** The files that have what is meant; and by document what is known of them, and of others that have the name. */
export async function readKnownFiles(query: TenantQuery, scope: Scope, meaning: ExactMeaning, named: readonly number[]) {
  const having = await documentsWith(query, scope, meaning, "documents");
  const ids = new Set(having.map((document) => document.document_id));
  const others = await knownDocuments(
    query,
    scope,
    meaning,
    named.filter((id) => !ids.has(id)),
  );
  return { having, known: Map.groupBy<number, KnownDocument>([...having, ...others], (document) => document.document_id) };
}

/** What the indexes that know the meaning know of some documents. */
export async function knownDocuments(
  query: TenantQuery,
  scope: Scope,
  { symbols, locals }: ExactMeaning,
  documents: readonly number[],
): Promise<readonly KnownDocument[]> {
  const uploads = [...new Set([...symbols, ...locals].map((one) => one.upload_id))];
  return knownDocumentsAmong(query, scope, { uploads, documents });
}

/**
 * Reads the places of documents that tell what the name is there: what is meant, another symbol that has the name, or a local one,
 * whose name the index doesn't have. A symbol of another name tells nothing: where a class is made, tools have its constructor.
 */
export function createPlaceReader({ symbols, others, locals }: ExactMeaning) {
  const numbers = new Map<number, Map<number, boolean>>();
  const add = (isMeant: boolean) => (symbol: ExactSymbol) => {
    const known = numbers.get(symbol.upload_id) ?? new Map<number, boolean>();
    numbers.set(symbol.upload_id, known.set(symbol.number, isMeant));
  };
  others.forEach(add(false));
  symbols.forEach(add(true));
  const ownLocals = new Set(locals.map(({ upload_id, document, index }) => `${upload_id} ${document} ${index}`));
  return function* placesIn(documents: Iterable<KnownDocument>): Generator<KnownPlace> {
    for (const { upload_id: upload, number, symbols: own, occurrences } of documents) {
      const shared = numbers.get(upload);
      const places = [...unpackOccurrences(occurrences)];
      const defined = new Set(places.filter(({ isDefinition }) => isDefinition).map(({ symbol }) => symbol));
      const isMeant = own.map((symbol, index) => {
        const isLocal = symbol === -1;
        const meaning = isLocal ? ownLocals.has(`${upload} ${number} ${index}`) : shared?.get(symbol);
        // Imports that scip-python could not follow are local symbols, too; no document defines them.
        return isLocal && meaning === false && !defined.has(index) ? undefined : meaning;
      });
      for (const place of places) {
        const meaning = isMeant[place.symbol];
        if (meaning !== undefined) {
          yield { ...place, isMeant: meaning, isLocal: own[place.symbol] === -1 };
        }
      }
    }
  };
}

/** The documents that define what is meant, or all that have it. */
async function documentsWith(
  query: TenantQuery,
  scope: Scope,
  { symbols, locals }: ExactMeaning,
  which: "definitions" | "documents",
): Promise<readonly ExactDocument[]> {
  const numbers = symbols.flatMap((symbol) => symbol[which].map((number) => ({ upload_id: symbol.upload_id, number })));
  const wanted = [...locals.map(({ upload_id, document }) => ({ upload_id, number: document })), ...numbers];
  return wanted.length === 0 ? [] : readExactDocuments(query, scope, wanted.slice(0, MAX_DOCUMENTS));
}
