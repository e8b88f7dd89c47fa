import type { ColumnType, Generated, GeneratedAlways } from "kysely";
import type { z } from "zod";
import type { credentialKindSchema, indexModeSchema, indexStatusSchema, jobStatusSchema, jobTriggerSchema } from "./contract.ts";
import type { WebhookProvider } from "./contract/webhook-hosts.ts";

/**
 * Rows as PostgreSQL keeps them. The service's tables carry their schema in the name; a tenant's have none and are only
 * reached through `withinTenant` of `store/tenancy/tenant.ts`. Those that are read and written in SQL alone have no type:
 * what they hold stands in `store/tenancy/tenant-template.ts`.
 */
export type CodeIndexTables = {
  readonly "codeindex.tenants": TenantsTable;
  readonly "codeindex.credentials": CredentialsTable;
  readonly "codeindex.repositories": RepositoriesTable;
  readonly "codeindex.refs": RefsTable;
  readonly "codeindex.index_jobs": IndexJobsTable;
  readonly "codeindex.developer_tokens": DeveloperTokensTable;
  readonly "codeindex.webhook_deliveries": WebhookDeliveriesTable;
  readonly "codeindex.previews": PreviewsTable;
  readonly "codeindex.histories": HistoryQueueTable;

  readonly repositories: Pick<RepositoriesTable, "id" | "full_name" | "default_branch" | "index_status" | "last_error">;
  readonly segments: SegmentsTable;
  readonly embedders: EmbeddersTable;
};

type TenantsTable = {
  readonly tenant_id: string;
  readonly name: string;
  /** How many revisions of the tenant template were applied to its schema. */
  readonly schema_revision: Generated<number>;
  /** The role that queries of the tenant take on; null where the server does not let us make one. */
  readonly database_role: string | null;
  readonly deleting_at: Date | null;
  /** Set while contents wait to be swept, as those of a branch that is not indexed any more. */
  readonly sweep_at: Date | null;
  /** When a job of it was last started, and of which mode. */
  readonly served_at: Date | null;
  readonly served_mode: JobMode | null;
  readonly created_at: Generated<Date>;
};

export type CredentialKind = z.infer<typeof credentialKindSchema>;

export type CredentialsTable = {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly kind: CredentialKind;
  /** As in an address, with the port when it has one. */
  readonly host: string;
  readonly username: string | null;
  readonly app_id: string | null;
  readonly installation_id: string | null;
  readonly sealed_secret: string;
  readonly created_by: string;
  readonly created_at: Generated<Date>;
  readonly last_used_at: Date | null;
  readonly last_error: string | null;
};

export type IndexStatus = z.infer<typeof indexStatusSchema>;

export type RepositoriesTable = {
  readonly id: string;
  readonly tenant_id: string;
  readonly full_name: string;
  readonly clone_url: string;
  readonly default_branch: string | null;
  /** `failed` means that the latest build failed; an earlier one is still served when a ref has a generation. */
  readonly index_status: Generated<IndexStatus>;
  readonly last_error: string | null;
  /** Branches that are indexed beside the default one. */
  readonly branches: Generated<readonly string[]>;
  readonly include: Generated<readonly string[]>;
  readonly exclude: Generated<readonly string[]>;
  readonly credential_id: string | null;
  readonly sealed_webhook_secret: string | null;
  readonly polled_at: Date | null;
  /** When a job of it was last started. */
  readonly served_at: Date | null;
  readonly deleting_at: Date | null;
  /** `host/path` of the clone URL, as `canonicalAddress` of `webhooks/` writes it. */
  readonly address: GeneratedAlways<string>;
  readonly created_at: Generated<Date>;
};

/** A branch of a repository that is indexed, or of which pushes were received. */
export type RefsTable = {
  readonly ref_id: string;
  readonly repo_id: string;
  readonly tenant_id: string;
  /** Without `refs/heads/`. */
  readonly name: string;
  readonly is_default: boolean;
  /** The build that searches see; null before the first one. */
  readonly generation: number | null;
  readonly indexed_commit: string | null;
  readonly indexed_at: Date | null;
  /** Searchable files of the generation, skipped ones not counted. */
  readonly files: Generated<number>;
  readonly chunks: Generated<number>;
  readonly pushes_received: Generated<number>;
  readonly pushes_indexed: Generated<number>;
  readonly head_commit: string | null;
  readonly vectors_pending: Generated<number>;
  readonly vectors_error: string | null;
  readonly created_at: Generated<Date>;
};

export type JobStatus = z.infer<typeof jobStatusSchema>;
export type JobMode = z.infer<typeof indexModeSchema>;
export type JobTrigger = z.infer<typeof jobTriggerSchema>;

/** How far a job has come; `total` is 0 while it is not known. */
export type JobProgress = {
  /** fetch, files, postings, switch, embed; `queued` before and `done` after. */
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  /** How much of it is done in a second. */
  readonly rate?: number;
};

export type IndexJobsTable = {
  readonly job_id: string;
  readonly repo_id: string;
  readonly tenant_id: string;
  readonly status: Generated<JobStatus>;
  readonly mode: JobMode;
  readonly trigger: JobTrigger;
  /** The branch; null means the default one. */
  readonly ref: string | null;
  readonly commit: string | null;
  /** The commit whose arrival asked for the job. */
  readonly requested_commit: string | null;
  /** The branch's `pushes_received` when the job was claimed. */
  readonly pushes_seen: Generated<number>;
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
  /** Repositories it opens; null: all of the tenant. */
  readonly repositories: readonly string[] | null;
  /** It opens the traces, too, that whoever made it may see. */
  readonly traces: Generated<boolean>;
  /** And their issues and experiments, and it adds items to datasets. */
  readonly evaluation: Generated<boolean>;
  /** It uploads SCIP indexes. */
  readonly uploads: Generated<boolean>;
  readonly created_at: Generated<Date>;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
};

/** What a push did to a branch. */
export type PushedBranch = {
  readonly branch: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly deleted: boolean;
};

/** What of a push is needed to act on it, also a second time. */
export type Push = {
  /** As the host calls the repository now. */
  readonly full_name: string;
  /** As the host says; null when it does not. */
  readonly default_branch: string | null;
  /** Branches only: tags are not indexed. */
  readonly changes: readonly PushedBranch[];
};

export type WebhookDeliveriesTable = {
  readonly id: string;
  readonly tenant_id: string;
  readonly repo_id: string;
  readonly provider: WebhookProvider;
  readonly delivery_id: string;
  readonly event: string;
  readonly full_name: string;
  readonly push: ColumnType<Push, string, never>;
  readonly status: "accepted" | "ignored";
  readonly reason: Generated<string>;
  readonly job_ids: Generated<readonly string[]>;
  readonly received_at: Date;
  readonly replays: Generated<number>;
  readonly replayed_at: Date | null;
};

export type PreviewsTable = {
  readonly repo_id: string;
  readonly tenant_id: string;
  readonly status: "queued" | "running" | "ready" | "failed";
  readonly requested_at: Date;
  readonly worker_id: string | null;
  readonly heartbeat_at: Date | null;
  readonly completed_at: Date | null;
  readonly commit: string | null;
  readonly result: ColumnType<unknown, string | null, string | null>;
  readonly error_message: string | null;
};

/** Which branches' commits were fetched, and who is doing so. */
type HistoryQueueTable = {
  readonly ref_id: string;
  /** The indexed commit they were fetched for, and how many were wanted. */
  readonly commit: string | null;
  readonly depth: Generated<number>;
  readonly worker_id: string | null;
  readonly heartbeat_at: Date | null;
  readonly tried_at: Date | null;
  /** In a row. */
  readonly failures: Generated<number>;
  readonly not_before: Date | null;
};

type SegmentsTable = {
  readonly segment_id: Generated<number>;
  readonly generation: number;
  readonly chunks: number;
  readonly dead: Generated<number>;
  readonly complete: Generated<boolean>;
};

type EmbeddersTable = {
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
  readonly subject_terms: number;
  readonly paths: readonly string[];
  readonly paths_total: number;
  readonly moved_to: readonly string[];
  readonly moved_from: readonly string[];
  /** Names of files that differ from its first parent; null where that is not known. */
  readonly changes_total: number | null;
};

export type ChangesTable = {
  readonly repo_id: string;
  readonly ref: string;
  readonly position: number;
  /** Of a file that was moved there is a row for each name. */
  readonly path: string;
};
