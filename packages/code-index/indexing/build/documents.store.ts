import { sql, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import type { SplitChunk, SymbolDefinition } from "#splitting/split-file.ts";
import type { Build, NewFile } from "#store/index/builds.store.ts";
import { givenRows, insertRows } from "#store/index/insert-rows.store.ts";
import { chunkId } from "#store/index/postings.ts";
import { withinTenant, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** Where the hash is null it is found letter for letter alone, and neither by its words nor by what it means. */
export type NewChunk = SplitChunk & { readonly text_hash: string | null };

export type NewDocument = NewFile & {
  readonly language: string;
  /** Its encoding, where that is no Unicode that says so itself. */
  readonly encoding: string | null;
  readonly encoding_guessed: boolean;
  readonly lines: number;
  readonly skip_reason: string | null;
  readonly chunks: readonly NewChunk[];
  readonly definitions: readonly SymbolDefinition[];
  readonly references: readonly string[];
};

type Writing = {
  readonly documents: readonly NewDocument[];
  /** Where the chunks go, from which ordinal on. */
  readonly segmentId: number;
  readonly ordinal: number;
};

export type WrittenDocument = NewDocument & { readonly documentId: number };

/**
 * Writes contents together with their files, all or nothing. Those that another build has written, or is writing, are
 * left to it and not returned. One with chunks is complete when its segment is.
 */
export async function writeDocuments(database: CodeIndexDatabase, build: Build, writing: Writing): Promise<readonly WrittenDocument[]> {
  return withinTenant(database, build, {}, async (transaction) => {
    const written = await claimDocuments(transaction, build, writing);
    await insertChunks(transaction, build, writing, written);
    await insertNames(transaction, build, written);
    await insertFiles(transaction, build, written);
    return written;
  });
}

type Claimed = { readonly document_id: number; readonly path: string };

async function claimDocuments(
  transaction: Transaction<CodeIndexTables>,
  { schema }: Build,
  { documents }: Writing,
): Promise<readonly WrittenDocument[]> {
  const rows = documents.map(({ path, blob, splitter, language, bytes, lines, chunks, skip_reason, ...written }) => {
    const { encoding, encoding_guessed } = written;
    return { splitter, path, blob, language, bytes, lines, chunks: chunks.length, skip_reason, encoding, encoding_guessed };
  });
  const { given, values } = givenRows(
    `splitter integer, blob text, path text, language text, bytes bigint, lines integer, chunks integer, skip_reason text, encoding text,
    encoding_guessed boolean`,
    rows,
  );
  // In one order everywhere: two builds that write the same contents wait for each other, and not both.
  const { rows: claimed } = await sql<Claimed>`
    insert into ${sql.id(schema, "documents")} (complete, splitter, blob, path, language, bytes, lines, chunks, skip_reason,
      encoding, encoding_guessed)
    select chunks = '0', ${values} from ${given}
    order by blob, path
    on conflict (blob, path, splitter) do nothing
    returning document_id, path
  `.execute(transaction);
  const ids = new Map(claimed.map((row) => [row.path, row.document_id]));
  return documents.flatMap((document) => {
    const documentId = ids.get(document.path);
    return documentId === undefined ? [] : [{ ...document, documentId }];
  });
}

async function insertChunks(
  transaction: Transaction<CodeIndexTables>,
  { schema }: Build,
  { segmentId, ordinal: first }: Writing,
  documents: readonly WrittenDocument[],
): Promise<void> {
  let ordinal = first;
  const rows = documents.flatMap(({ documentId, path, language, chunks }) =>
    chunks.map((chunk) => {
      const row = { ...chunk, chunk_id: chunkId(segmentId, ordinal), ordinal, document_id: documentId, path, language };
      ordinal++;
      return row;
    }),
  );
  const columns = `chunk_id bigint, ordinal integer, document_id bigint, path text, language text, start_line integer, end_line integer,
    start_byte integer, end_byte integer, symbols text[], scope text, content text, text_hash uuid`;
  await insertRows(transaction, schema, { table: "code_chunks", columns, same: { segment_id: segmentId }, rows });
}

async function insertNames(
  transaction: Transaction<CodeIndexTables>,
  { schema }: Build,
  documents: readonly WrittenDocument[],
): Promise<void> {
  await insertRows(transaction, schema, {
    table: "symbols",
    columns: "document_id bigint, name text, kind text, start_line integer, end_line integer, scope text",
    rows: documents.flatMap(({ documentId, definitions }) => definitions.map((found) => ({ document_id: documentId, ...found }))),
  });
  await insertRows(transaction, schema, {
    table: "symbol_references",
    columns: "document_id bigint, names text[]",
    rows: documents.flatMap(({ documentId, references: names }) => (names.length === 0 ? [] : [{ document_id: documentId, names }])),
  });
}

async function insertFiles(
  transaction: Transaction<CodeIndexTables>,
  { schema, generation }: Build,
  documents: readonly WrittenDocument[],
): Promise<void> {
  await insertRows(transaction, schema, {
    table: "files",
    columns: "path text, blob text, bytes bigint, document_id bigint",
    same: { generation },
    rows: documents.map(({ documentId, path, blob, bytes }) => ({ document_id: documentId, path, blob, bytes })),
  });
}
