import type { Generated } from "kysely";

/** A set of files that was written, is being written, or was left by a worker that died. */
export type BuildsTable = {
  readonly generation: number;
  readonly repo_id: string;
  readonly ref: string;
  readonly job_id: string;
  readonly begun_at: Date;
};

/** One content at one path, split once; whatever branches and repositories of the tenant hold it. */
export type DocumentsTable = {
  readonly document_id: Generated<number>;
  /** git's id of the content. */
  readonly blob: string;
  readonly path: string;
  /** `SPLITTER_REVISION` of what split it. */
  readonly splitter: number;
  readonly language: string;
  readonly bytes: number;
  readonly lines: number;
  readonly chunks: number;
  /** Why the content has no chunks, for people; null when it is searchable. */
  readonly skip_reason: string | null;
  /** False while its chunks and postings are being written. */
  readonly complete: Generated<boolean>;
};

/** Every file of a build, also those that are not searchable: for those either row says why. */
export type FilesTable = {
  readonly generation: number;
  readonly path: string;
  readonly blob: string;
  readonly bytes: number;
  readonly document_id: number | null;
  /** Why this repository does not have the path searched, whatever its content is. */
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
  /** The first half of the SHA-256 of the text that is embedded. */
  readonly text_hash: string;
};

/** A run of chunks whose postings were written together. */
export type SegmentsTable = {
  readonly segment_id: Generated<number>;
  readonly generation: number;
  /** Chunks in the segment. */
  readonly chunks: number;
  /** Of those, the ones whose documents were deleted. */
  readonly dead: Generated<number>;
  readonly complete: Generated<boolean>;
};

/** The chunks of a segment that a generation sees. */
export type VisibleTable = {
  readonly generation: number;
  readonly segment_id: number;
  readonly chunks: number;
  /** Bit n of byte n >> 3, the least significant first; null when it sees all of them. */
  readonly ordinals: Buffer | null;
};

export type PostingsTable = {
  readonly term: string;
  readonly segment_id: number;
  /** Chunks of the segment that hold the term. */
  readonly df: number;
  /** `decodePostings` of `store/postings.ts` reads it. */
  readonly docs: Buffer;
};

export type TrigramsTable = {
  readonly segment_id: number;
  /** The least trigram that the row may hold. */
  readonly first: number;
  /** `listOf` of `store/trigrams.ts` reads it. */
  readonly lists: Buffer;
};

export type SymbolsTable = {
  readonly document_id: number;
  readonly name: string;
  readonly kind: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly scope: string;
};

export type SymbolReferencesTable = {
  readonly document_id: number;
  readonly names: readonly string[];
};

export type EmbeddersTable = {
  readonly embedder_id: Generated<number>;
  readonly identity: string;
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  readonly created_at: Generated<Date>;
  /** When every chunk had a vector of it for the first time: from then on queries use it. */
  readonly complete_at: Date | null;
  /** The vectors made until then are in an index; null when there is none. */
  readonly near_until: Date | null;
  readonly last_error: string | null;
  readonly last_error_at: Date | null;
};

/** What is known of a branch's history. */
export type HistoriesTable = {
  readonly repo_id: string;
  readonly ref: string;
  /** The newest commit that is kept; null before the first fetch. */
  readonly commit: string | null;
  readonly commits: Generated<number>;
  /** Whether it reaches back to the first commit. */
  readonly complete: Generated<boolean>;
  /** Of the commits that are seen; others are being written. */
  readonly first_position: Generated<number>;
  readonly last_position: Generated<number>;
  /** Raised by each who begins to write: who wrote before stops. */
  readonly writer: Generated<number>;
  readonly fetched_at: Date | null;
  readonly last_error: string | null;
};

export type CommitsTable = {
  readonly repo_id: string;
  readonly ref: string;
  /** A child's is higher than its parents'. */
  readonly position: number;
  readonly commit: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly author_email: string;
  readonly authored_at: Date;
  readonly committed_at: Date;
  readonly subject: string;
  readonly body: string;
  /** The words of subject and body, as searches have them. */
  readonly terms: readonly string[];
  /** What it changed, up to a limit; of a file that was moved both names. */
  readonly paths: readonly string[];
  readonly paths_total: number;
  /** Files that were moved as they are: the new name, and in the same place the old one. */
  readonly moved_to: readonly string[];
  readonly moved_from: readonly string[];
};
