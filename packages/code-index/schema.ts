import type { ColumnType, Generated } from "kysely";

/**
 * Rows as PostgreSQL keeps them. The service's tables carry their schema in the
 * name; a tenant's tables have none and are only reached through
 * `tenantTables(database, schema)` of `store/tenant.ts`.
 */
export type CodeIndexTables = {
  readonly "codeindex.tenants": TenantsTable;
  readonly "codeindex.repositories": RepositoriesTable;
  readonly "codeindex.index_jobs": IndexJobsTable;
  readonly "codeindex.developer_tokens": DeveloperTokensTable;

  readonly files: FilesTable;
  readonly code_chunks: CodeChunksTable;
  readonly segments: SegmentsTable;
  readonly postings: PostingsTable;
  readonly code_vectors_hash_v1: CodeVectorsTable;
};

type TenantsTable = {
  readonly tenant_id: string;
  readonly name: string;
  /** How many revisions of the tenant template were applied to its schema. */
  readonly schema_revision: Generated<number>;
  readonly created_at: Generated<Date>;
};

export type IndexStatus = "pending" | "indexing" | "ready" | "failed";

export type RepositoriesTable = {
  readonly id: string;
  readonly tenant_id: string;
  readonly full_name: string;
  readonly clone_url: string;
  readonly default_branch: string | null;
  /** `failed` means that the latest build failed; an earlier one is still served when `generation` is set. */
  readonly index_status: Generated<IndexStatus>;
  readonly indexed_commit: string | null;
  readonly indexed_at: Date | null;
  /** The build that searches see; null before the first one. */
  readonly generation: number | null;
  /** Identity of the embedder that made the generation's vectors; null when it has none. */
  readonly embedder: string | null;
  /** Indexed files of the generation, skipped ones not counted. */
  readonly files: Generated<number>;
  readonly chunks: Generated<number>;
  /** Pushes received that are not searchable yet. */
  readonly behind: Generated<number>;
  readonly last_error: string | null;
  readonly created_at: Generated<Date>;
};

type JobStatus = "queued" | "running" | "succeeded" | "failed" | "cancelled";
export type JobMode = "full" | "incremental";
export type JobTrigger = "api" | "webhook" | "poll" | "registration" | "retry";

/** How far a job has come; `total` is 0 while it is not known. */
export type JobProgress = { readonly phase: string; readonly done: number; readonly total: number };

export type IndexJobsTable = {
  readonly job_id: string;
  readonly repo_id: string;
  readonly tenant_id: string;
  readonly status: Generated<JobStatus>;
  readonly mode: JobMode;
  readonly trigger: JobTrigger;
  readonly commit: string | null;
  /** 1 for the first try. */
  readonly attempt: Generated<number>;
  /** A queued job is not started before. */
  readonly not_before: Generated<Date>;
  readonly worker_id: string | null;
  /** When the worker last said that it is alive. */
  readonly heartbeat_at: Date | null;
  readonly progress: ColumnType<JobProgress, string | undefined, string>;
  /** When `progress` last changed. */
  readonly progress_at: Date | null;
  readonly cancel_requested: Generated<boolean>;
  readonly created_at: Generated<Date>;
  readonly started_at: Date | null;
  readonly completed_at: Date | null;
  readonly error_message: string | null;
};

export type DeveloperTokensTable = {
  readonly id: string;
  readonly tenant_id: string;
  /** SHA-256 of the whole token, in hex. */
  readonly token_hash: string;
  readonly token_prefix: string;
  readonly label: string;
  /** Subject of the access token it was made with. */
  readonly created_by: string;
  readonly created_at: Generated<Date>;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
};

/** Every file of a build, also those that are not searchable. */
type FilesTable = {
  readonly repo_id: string;
  readonly generation: number;
  readonly path: string;
  /** git's id of the content. */
  readonly blob: string;
  readonly language: string;
  readonly bytes: number;
  readonly lines: number;
  /** Why it has no chunks, for people; null when it is indexed. */
  readonly skip_reason: string | null;
};

/** The chunks of a file, by `start_byte`, are the file: every byte is in exactly one. */
export type CodeChunksTable = {
  /** `chunkId(segment_id, ordinal)`. */
  readonly chunk_id: number;
  readonly repo_id: string;
  readonly generation: number;
  readonly segment_id: number;
  /** Number of the chunk within its segment, from 0: what postings refer to. */
  readonly ordinal: number;
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
};

/** A run of chunks whose postings were written together. */
type SegmentsTable = {
  readonly segment_id: Generated<number>;
  readonly repo_id: string;
  readonly generation: number;
  /** Chunks in the segment. */
  readonly chunks: number;
  /** Mean number of weighted terms of a chunk. */
  readonly average_length: number;
};

type PostingsTable = {
  readonly term: string;
  readonly segment_id: number;
  /** Chunks of the segment that hold the term. */
  readonly df: number;
  /** `decodePostings` of `store/postings.ts` reads it. */
  readonly docs: Buffer;
};

type CodeVectorsTable = {
  readonly chunk_id: number;
  readonly repo_id: string;
  readonly generation: number;
  /** pgvector's text form, `[0.1,0.2,…]`. */
  readonly embedding: string;
};
