import { AppError } from "@sightline/foundation/errors";
import protobuf from "protobufjs/minimal.js";
import { notScip } from "./scip-errors.ts";
import { splitMessages } from "./split-messages.ts";

/** The fields of `scip.proto` that are read, by message; all others are skipped. A tag is the number and how the value is written. */
const varint = (field: number): number => field << 3;
const delimited = (field: number): number => (field << 3) | 2;
const INDEX = { metadata: 1, documents: 2, externalSymbols: 3 };
const METADATA = { tool: delimited(2), projectRoot: delimited(3) };
const TOOL = { name: delimited(1), version: delimited(2) };
const DOCUMENT = { path: delimited(1), occurrences: delimited(2), symbols: delimited(3), text: delimited(5), encoding: varint(6) };
const OCCURRENCE = { range: delimited(1), symbol: delimited(2), roles: varint(3) };
const SYMBOL = { symbol: delimited(1), documentation: delimited(3), relations: delimited(4), signature: delimited(7) };
const RELATION = { symbol: delimited(1), isImplementation: varint(3) };
const DEFINITION_ROLE = 1;

/** What columns count. Tools that don't say run on JavaScript's strings. */
export type ColumnUnit = "utf8" | "utf16" | "utf32";
const UNITS: Readonly<Record<number, ColumnUnit>> = { 0: "utf16", 1: "utf8", 2: "utf16", 3: "utf32" };

export type ScipMetadata = { readonly kind: "metadata"; readonly tool: string; readonly version: string; readonly projectRoot: string };

/** A symbol at a place: lines and columns from 0, the end not included. */
export type ScipOccurrence = {
  readonly line: number;
  readonly start: number;
  /** On the same line; the start where the range ends on another one. */
  readonly end: number;
  readonly symbol: string;
  readonly isDefinition: boolean;
};

export type ScipSymbol = {
  readonly documentation: readonly string[];
  readonly signature: string;
  /** Symbols that it implements or overrides. */
  readonly bases: readonly string[];
};

export type ScipDocument = {
  readonly kind: "document";
  readonly path: string;
  readonly unit: ColumnUnit;
  readonly occurrences: readonly ScipOccurrence[];
  readonly symbols: ReadonlyMap<string, ScipSymbol>;
};

/**
 * Reads a SCIP index as it arrives, a document at a time. What it holds is foreign: nothing of it is trusted to fit the code.
 *
 * @throws {AppError} `invalid_scip` (400), `body_too_large` (413).
 */
export async function* readScip(pieces: AsyncIterable<Buffer>): AsyncGenerator<ScipMetadata | ScipDocument> {
  let isFirst = true;
  for await (const { number, message } of splitMessages(pieces)) {
    if (isFirst !== (number === INDEX.metadata)) {
      throw notScip("it does not begin with its metadata");
    }
    isFirst = false;
    if (number === INDEX.metadata) {
      yield parsed(message, readMetadata);
    } else if (number === INDEX.documents) {
      yield parsed(message, readDocument);
    } else if (number !== INDEX.externalSymbols) {
      throw notScip(`its field ${number} is unknown`);
    }
  }
  if (isFirst) {
    throw notScip("it is empty");
  }
}

type Reader = protobuf.Reader;

function parsed<Message>(bytes: Buffer, read: (reader: Reader, end: number) => Message): Message {
  try {
    const reader = protobuf.Reader.create(bytes);
    return read(reader, reader.len);
  } catch (error) {
    throw error instanceof AppError ? error : notScip("a message in it can't be read", error);
  }
}

function readMetadata(reader: Reader, end: number): ScipMetadata {
  const found = { tool: "", version: "", projectRoot: "" };
  readFields(reader, end, {
    [METADATA.projectRoot]: () => (found.projectRoot = readText(reader)),
    [METADATA.tool]: () =>
      readMessage(reader, {
        [TOOL.name]: () => (found.tool = readText(reader)),
        [TOOL.version]: () => (found.version = readText(reader)),
      }),
  });
  if (found.tool === "") {
    throw notScip("its metadata names no tool");
  }
  return { kind: "metadata", ...found };
}

function readDocument(reader: Reader, end: number): ScipDocument {
  let path = "";
  let unit: ColumnUnit = "utf16";
  const occurrences: ScipOccurrence[] = [];
  const symbols = new Map<string, ScipSymbol>();
  readFields(reader, end, {
    [DOCUMENT.path]: () => (path = reader.string()),
    [DOCUMENT.encoding]: () => (unit = UNITS[reader.int32()] ?? "utf16"),
    [DOCUMENT.occurrences]: () => {
      const occurrence = readOccurrence(reader);
      if (occurrence.symbol !== "") {
        occurrences.push(occurrence);
      }
    },
    [DOCUMENT.symbols]: () => {
      const { symbol, ...said } = readSymbol(reader);
      symbols.set(symbol, said);
    },
  });
  return { kind: "document", path, unit, occurrences, symbols };
}

function readOccurrence(reader: Reader): ScipOccurrence {
  const range: number[] = [];
  let symbol = "";
  let roles = 0;
  readMessage(reader, {
    [OCCURRENCE.range]: () => {
      for (const end = reader.uint32() + reader.pos; reader.pos < end;) {
        range.push(reader.int32());
      }
    },
    [OCCURRENCE.symbol]: () => (symbol = readText(reader)),
    [OCCURRENCE.roles]: () => (roles = reader.int32()),
  });
  const [line = -1, start = -1, third = -1, fourth] = range;
  const end = fourth === undefined ? third : third === line ? fourth : start;
  if (range.length > 4 || line < 0 || start < 0 || end < start) {
    throw notScip(`a range in it is [${range.slice(0, 5).join(", ")}]`);
  }
  return { line, start, end, symbol, isDefinition: (roles & DEFINITION_ROLE) !== 0 };
}

/** PostgreSQL keeps no U+0000. */
function readText(reader: Reader): string {
  const text = reader.string();
  if (text.includes("\0")) {
    throw notScip("a text in it has the character U+0000");
  }
  return text;
}

function readSymbol(reader: Reader): ScipSymbol & { readonly symbol: string } {
  const documentation: string[] = [];
  const bases: string[] = [];
  const found = { symbol: "", signature: "" };
  readMessage(reader, {
    [SYMBOL.symbol]: () => (found.symbol = reader.string()),
    [SYMBOL.documentation]: () => documentation.push(reader.string()),
    [SYMBOL.relations]: () => {
      const base = { symbol: "", isImplemented: false };
      readMessage(reader, {
        [RELATION.symbol]: () => (base.symbol = readText(reader)),
        [RELATION.isImplementation]: () => (base.isImplemented = reader.bool()),
      });
      bases.push(...(base.isImplemented && base.symbol !== "" ? [base.symbol] : []));
    },
    [SYMBOL.signature]: () => readMessage(reader, { [DOCUMENT.text]: () => (found.signature = reader.string()) }),
  });
  return { ...found, documentation, bases };
}

/** What reads a field, by its tag. */
type Fields = Readonly<Record<number, () => unknown>>;

function readMessage(reader: Reader, fields: Fields): void {
  const length = reader.uint32();
  readFields(reader, reader.pos + length, fields);
}

function readFields(reader: Reader, end: number, fields: Fields): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    const read = fields[tag];
    if (read === undefined) {
      reader.skipType(tag & 7);
    } else {
      read();
    }
  }
  if (reader.pos !== end) {
    throw notScip("a message in it ends within a field");
  }
}
