import type { Generated, Kysely } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import type { CodeIndexDatabase, TenantSchema } from "#store/tenancy/tenant.ts";

/** A tenant's tables for tests that write and look at rows; the product reads and writes these in SQL alone. */
export function tenantTables(database: CodeIndexDatabase, schema: TenantSchema): Kysely<CodeIndexTables & TenantTables> {
  return database.query.withSchema(schema).$extendTables<TenantTables>();
}

type TenantTables = {
  readonly builds: BuildsTable;
  readonly documents: DocumentsTable;
  readonly files: FilesTable;
  readonly code_chunks: CodeChunksTable;
  readonly visible: VisibleTable;
  readonly postings: PostingsTable;
  readonly trigrams: TrigramsTable;
};

type BuildsTable = {
  readonly generation: number;
  readonly repo_id: string;
  readonly ref: string;
  readonly job_id: string;
  readonly begun_at: Date;
};

type DocumentsTable = {
  readonly document_id: Generated<number>;
  readonly blob: string;
  readonly path: string;
  readonly splitter: number;
  readonly language: string;
  readonly bytes: number;
  readonly lines: number;
  readonly chunks: number;
  readonly skip_reason: string | null;
  readonly complete: Generated<boolean>;
};

type FilesTable = {
  readonly generation: number;
  readonly path: string;
  readonly blob: string;
  readonly bytes: number;
  readonly document_id: number | null;
  readonly skip_reason: string | null;
};

/** The chunks of a document, by `start_byte`, are the file: every byte is in exactly one. */
type CodeChunksTable = {
  /** `chunkId(segment_id, ordinal)`. */
  readonly chunk_id: number;
  readonly segment_id: number;
  /** Number of the chunk within its segment, from 0: what postings refer to. */
  readonly ordinal: number;
  readonly document_id: number;
  readonly path: string;
  readonly language: string;
  /** Lines and bytes of the file; lines count from 1 and include the last, bytes from 0 and don't. */
  readonly start_line: number;
  readonly end_line: number;
  readonly start_byte: number;
  readonly end_byte: number;
  /** Names defined in the chunk, in order. */
  readonly symbols: readonly string[];
  /** The definitions it is inside of, from the outermost: `Server › start`. */
  readonly scope: string;
  readonly content: string;
  readonly text_hash: string | null;
};

type VisibleTable = {
  readonly generation: number;
  readonly segment_id: number;
  readonly chunks: number;
  readonly ordinals: Buffer | null;
};

type PostingsTable = {
  readonly term: string;
  readonly segment_id: number;
  /** Chunks of the segment that hold the term. */
  readonly df: number;
  /** As `createPostingsWriter` packs them. */
  readonly docs: Buffer;
};

type TrigramsTable = {
  readonly segment_id: number;
  /** The least trigram that the row may hold. */
  readonly first: number;
  /** As `createTrigramsCollector` packs them. */
  readonly lists: Buffer;
};
