import { describeSymbol, type Description } from "#scip/format/describe-symbol.ts";
import { packOccurrences, unpackOccurrences } from "#scip/format/packed-occurrences.ts";
import type { ColumnUnit, ScipDocument, ScipMetadata } from "#scip/format/read-scip.ts";
import { MAX_OCCURRENCES, notScip, tooLarge } from "#scip/format/scip-errors.ts";
import { isLocal } from "#scip/format/symbol-names.ts";

/** What is kept of a document while the others arrive: its occurrences are packed, with columns as the tool counts them. */
export type CollectedDocument = {
  readonly path: string;
  readonly unit: ColumnUnit;
  readonly packed: Buffer;
  readonly occurrences: number;
  /** For each of its symbols the number in the upload; -1 for one that only this document knows. */
  readonly symbols: readonly number[];
  readonly defined: ReadonlySet<number>;
  readonly descriptions: readonly Description[];
};

export type Collected = {
  readonly metadata: ScipMetadata;
  readonly documents: readonly CollectedDocument[];
  /** The text of each symbol, by its number. */
  readonly symbols: readonly string[];
  /** By the number of a symbol those that it implements or overrides. */
  readonly bases: ReadonlyMap<number, ReadonlySet<number>>;
};

/** Bases of one symbol that are kept. */
const MAX_BASES = 100;
const NOT_DESCRIBED: Description = { signature: "", comment: "" };

/** @throws {AppError} `invalid_scip` (400), `body_too_large` (413). */
export async function collectDocuments(messages: AsyncIterable<ScipMetadata | ScipDocument>): Promise<Collected> {
  const numbers = new Map<string, number>();
  const documents = new Map<string, CollectedDocument>();
  const bases = new Map<number, Set<number>>();
  let metadata: ScipMetadata | undefined;
  let occurrences = 0;
  for await (const message of messages) {
    if (message.kind === "metadata") {
      metadata = message;
      continue;
    }
    occurrences += message.occurrences.length;
    if (occurrences > MAX_OCCURRENCES) {
      throw tooLarge(`${MAX_OCCURRENCES} occurrences`);
    }
    const known = documents.get(message.path);
    const document = collect(message, numbers);
    documents.set(message.path, known === undefined ? document : merge(known, document));
    collectBases(message, numbers, bases);
  }
  if (metadata === undefined) {
    throw notScip("it has no metadata");
  }
  return { metadata, documents: [...documents.values()], symbols: [...numbers.keys()], bases };
}

function collect({ path, unit, occurrences, symbols }: ScipDocument, numbers: Map<string, number>): CollectedDocument {
  const own = [...new Set(occurrences.map(({ symbol }) => symbol))];
  const indexes = new Map(own.map((symbol, index) => [symbol, index]));
  const placed = occurrences.map(({ symbol, ...place }) => ({ ...place, symbol: indexes.get(symbol) ?? 0 }));
  return {
    path,
    unit,
    packed: packOccurrences(placed),
    occurrences: occurrences.length,
    symbols: own.map((symbol) => (isLocal(symbol) ? -1 : numberOf(symbol, numbers))),
    defined: new Set(placed.filter(({ isDefinition }) => isDefinition).map(({ symbol }) => symbol)),
    descriptions: own.map((symbol) => {
      const documentation = symbols.get(symbol);
      return documentation === undefined ? NOT_DESCRIBED : describeSymbol(documentation);
    }),
  };
}

function collectBases({ symbols }: ScipDocument, numbers: Map<string, number>, bases: Map<number, Set<number>>): void {
  for (const [symbol, { bases: own }] of symbols) {
    const shared = isLocal(symbol) ? [] : own.filter((base) => !isLocal(base) && base !== symbol);
    if (shared.length > 0) {
      const number = numberOf(symbol, numbers);
      const known = bases.get(number) ?? new Set<number>();
      bases.set(number, known);
      shared.slice(0, MAX_BASES - known.size).forEach((base) => known.add(numberOf(base, numbers)));
    }
  }
}

/** A tool writes a document for each project that a file belongs to, in which symbols may be called otherwise. */
function merge(one: CollectedDocument, other: CollectedDocument): CollectedDocument {
  const symbols = [...one.symbols];
  const descriptions = [...one.descriptions];
  const known = new Map(symbols.map((symbol, index) => [symbol, index]));
  known.delete(-1);
  const indexes = other.symbols.map((symbol, index) => {
    descriptions.push(...(known.has(symbol) ? [] : [other.descriptions[index] ?? NOT_DESCRIBED]));
    return known.get(symbol) ?? symbols.push(symbol) - 1;
  });
  const others = [...unpackOccurrences(other.packed)].map((occurrence) => ({ ...occurrence, symbol: indexes[occurrence.symbol] ?? 0 }));
  const all = [...unpackOccurrences(one.packed), ...others];
  const occurrences = [...new Map(all.map((place) => [`${place.line} ${place.start} ${place.end} ${place.symbol}`, place])).values()];
  return {
    ...one,
    symbols,
    descriptions,
    packed: packOccurrences(occurrences),
    occurrences: occurrences.length,
    defined: new Set([...one.defined, ...[...other.defined].map((index) => indexes[index] ?? 0)]),
  };
}

function numberOf(symbol: string, numbers: Map<string, number>): number {
  const known = numbers.get(symbol) ?? numbers.size;
  numbers.set(symbol, known);
  return known;
}
