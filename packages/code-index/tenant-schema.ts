import type { Generated } from "kysely";

/**
 * Rows of a tenant's tables, as far as the query builder or a statement's result is typed by them; what the columns mean
 * stands where they are made, in `store/tenancy/tenant-template.ts`.
 */
export type BuildsTable = {
  readonly generation: number;
  readonly repo_id: string;
  readonly ref: string;
  readonly job_id: string;
  readonly begun_at: Date;
};

export type DocumentsTable = {
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

export type FilesTable = {
  readonly generation: number;
  readonly path: string;
  readonly blob: string;
  readonly bytes: number;
  readonly document_id: number | null;
  readonly skip_reason: string | null;
};

/** The chunks of a document, by `start_byte`, are the file: every byte is in exactly one. */
export type CodeChunksTable = {
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
  readonly text_hash: string;
};

export type SegmentsTable = {
  readonly segment_id: Generated<number>;
  readonly generation: number;
  readonly chunks: number;
  readonly dead: Generated<number>;
  readonly complete: Generated<boolean>;
};

export type VisibleTable = {
  readonly generation: number;
  readonly segment_id: number;
  readonly chunks: number;
  readonly ordinals: Buffer | null;
};

export type PostingsTable = {
  readonly term: string;
  readonly segment_id: number;
  /** Chunks of the segment that hold the term. */
  readonly df: number;
  /** As `createPostingsWriter` packs them. */
  readonly docs: Buffer;
};

export type TrigramsTable = {
  readonly segment_id: number;
  /** The least trigram that the row may hold. */
  readonly first: number;
  /** As `createTrigramsCollector` packs them. */
  readonly lists: Buffer;
};

export type EmbeddersTable = {
  readonly embedder_id: Generated<number>;
  readonly identity: string;
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  readonly created_at: Generated<Date>;
  readonly complete_at: Date | null;
  readonly near_until: Date | null;
  readonly last_error: string | null;
  readonly last_error_at: Date | null;
};

export type CommitsTable = {
  readonly repo_id: string;
  readonly ref: string;
  readonly position: number;
  readonly commit: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly author_email: string;
  readonly authored_at: Date;
  readonly committed_at: Date;
  readonly subject: string;
  readonly body: string;
  readonly terms: readonly string[];
  readonly paths: readonly string[];
  readonly paths_total: number;
  readonly moved_to: readonly string[];
  readonly moved_from: readonly string[];
};
