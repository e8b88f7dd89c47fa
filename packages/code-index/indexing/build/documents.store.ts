import { sql, type Transaction } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import type { CodeChunksTable } from "#tenant-schema.ts";
import type { Build, NewFile } from "#store/index/builds.store.ts";
import { chunkId } from "#store/index/postings.ts";
import { withinTenant, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";

export type NewChunk = Omit<CodeChunksTable, "chunk_id" | "segment_id" | "ordinal" | "document_id" | "path" | "language">;

export type NewSymbol = {
  readonly name: string;
  readonly kind: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly scope: string;
};

/** A file whose content was read. */
export type NewDocument = NewFile & {
  readonly language: string;
  readonly lines: number;
  readonly skip_reason: string | null;
  readonly chunks: readonly NewChunk[];
  readonly definitions: readonly NewSymbol[];
  readonly references: readonly string[];
};

type Writing = {
  readonly documents: readonly NewDocument[];
  readonly splitter: number;
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
  { documents, splitter }: Writing,
): Promise<readonly WrittenDocument[]> {
  const rows = documents.map(({ path, blob, language, bytes, lines, chunks, skip_reason }) => {
    return { path, blob, language, bytes, lines, chunks: chunks.length, skip_reason };
  });
  // In one order everywhere: two builds that write the same contents wait for each other, and not both.
  const { rows: claimed } = await sql<Claimed>`
    insert into ${sql.id(schema, "documents")} (blob, path, splitter, language, bytes, lines, chunks, skip_reason, complete)
    select blob, path, ${splitter}, language, bytes, lines, chunks, skip_reason, chunks = 0
    from json_to_recordset(${JSON.stringify(rows)}::json) as given(
      path text, blob text, language text, bytes bigint, lines integer, chunks integer, skip_reason text
    )
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
  if (rows.length === 0) {
    return;
  }
  await sql`
    insert into ${sql.id(schema, "code_chunks")} (chunk_id, segment_id, ordinal, document_id, path, language,
      start_line, end_line, start_byte, end_byte, symbols, scope, content, text_hash)
    select chunk_id, ${segmentId}, ordinal, document_id, path, language,
      start_line, end_line, start_byte, end_byte, symbols, scope, content, text_hash
    from json_to_recordset(${JSON.stringify(rows)}::json) as given(
      chunk_id bigint, ordinal integer, document_id bigint, path text, language text, start_line integer, end_line integer,
      start_byte integer, end_byte integer, symbols text[], scope text, content text, text_hash uuid
    )
  `.execute(transaction);
}

async function insertNames(
  transaction: Transaction<CodeIndexTables>,
  { schema }: Build,
  documents: readonly WrittenDocument[],
): Promise<void> {
  const symbols = documents.flatMap(({ documentId, definitions }) =>
    definitions.map((definition) => ({ document_id: documentId, ...definition })),
  );
  if (symbols.length > 0) {
    await sql`
      insert into ${sql.id(schema, "symbols")} (document_id, name, kind, start_line, end_line, scope)
      select document_id, name, kind, start_line, end_line, scope
      from json_to_recordset(${JSON.stringify(symbols)}::json) as given(
        document_id bigint, name text, kind text, start_line integer, end_line integer, scope text
      )
    `.execute(transaction);
  }
  const references = documents.flatMap(({ documentId, references: names }) =>
    names.length === 0 ? [] : [{ document_id: documentId, names }],
  );
  if (references.length > 0) {
    await sql`
      insert into ${sql.id(schema, "symbol_references")} (document_id, names)
      select document_id, names from json_to_recordset(${JSON.stringify(references)}::json) as given(document_id bigint, names text[])
    `.execute(transaction);
  }
}

async function insertFiles(
  transaction: Transaction<CodeIndexTables>,
  { schema, generation }: Build,
  documents: readonly WrittenDocument[],
): Promise<void> {
  const rows = documents.map(({ documentId, path, blob, bytes }) => ({ document_id: documentId, path, blob, bytes }));
  await sql`
    insert into ${sql.id(schema, "files")} (generation, path, blob, bytes, document_id)
    select ${generation}, path, blob, bytes, document_id
    from json_to_recordset(${JSON.stringify(rows)}::json) as given(path text, blob text, bytes bigint, document_id bigint)
  `.execute(transaction);
}
