import { z } from "zod";
import { nulRefused, timestamp, WITHOUT_NUL } from "./parts.ts";

/** Projects, who may see them, and their API keys. */

/**
 * `viewer` reads; `editor` also scores and tags, saves views and charts, and sets alerts; `owner` also deletes traces and changes the project, its keys, prices and members,
 * and deals with its dead letters.
 */
export const projectRoleSchema = z.enum(["viewer", "editor", "owner"]);
export type ProjectRole = z.infer<typeof projectRoleSchema>;

/** `members`: its members and the tenant's admins. `tenant`: everybody of the tenant, those who are no members as editors. */
export const projectAccessSchema = z.enum(["tenant", "members"]);
export type ProjectAccess = z.infer<typeof projectAccessSchema>;

export const createProjectRequestSchema = z.object({
  name: z.string().trim().min(1, "give the project a name").max(200).regex(WITHOUT_NUL, nulRefused),
  access: projectAccessSchema.default("members"),
});
export type CreateProjectRequest = z.input<typeof createProjectRequestSchema>;

/** Whether links show its traces to people without an account; while it is off, none does. */
const projectSharing = z.boolean();
/** Dollars that people may spend in the playground in a day (UTC); null: as much as they need. */
const playgroundBudget = z.number().min(0).max(100_000).nullable();

/** What is left out stays as it is. */
export const changeProjectRequestSchema = z.object({
  name: createProjectRequestSchema.shape.name.optional(),
  access: projectAccessSchema.optional(),
  is_sharing: projectSharing.optional(),
  playground_budget: playgroundBudget.optional(),
  /** Traces are deleted so many days after their first event arrived; null keeps them without end. */
  retention_days: z
    .int()
    .min(1, "keep traces for a day at least")
    .max(36_500, "keep traces for 36500 days at most, or null for ever")
    .nullable()
    .optional(),
});
export type ChangeProjectRequest = z.infer<typeof changeProjectRequestSchema>;

export const projectSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  created_at: timestamp,
  retention_days: z.int().nullable(),
  access: projectAccessSchema,
  is_sharing: projectSharing,
  playground_budget: playgroundBudget,
  /** What the caller may do in it; admins of the tenant and the operator are owners. */
  my_role: projectRoleSchema,
  /** Traces of the last 24 hours. */
  recent_traces: z.int(),
  last_trace_at: timestamp.nullable(),
});
export type Project = z.infer<typeof projectSchema>;

export const projectPageSchema = z.object({ items: z.array(projectSchema), next_cursor: z.string().nullable() });
export type ProjectPage = z.infer<typeof projectPageSchema>;

/** Somebody who was added to a project. Admins of the tenant may do everything without being in this list. */
export const memberSchema = z.object({
  /** An account of identity; who that is, `GET /people?ids=` of identity says. */
  user_id: z.string(),
  role: projectRoleSchema,
  added_at: timestamp,
  /** A user's id, or `operator`. */
  added_by: z.string(),
});
export type Member = z.infer<typeof memberSchema>;
export const memberPageSchema = z.object({ items: z.array(memberSchema), next_cursor: z.string().nullable() });
export type MemberPage = z.infer<typeof memberPageSchema>;

export const putMemberRequestSchema = z.object({ role: projectRoleSchema });
export type PutMemberRequest = z.infer<typeof putMemberRequestSchema>;

/**
 * `ingest`: send traces (OTLP). `read`: list and read the project's traces. `scores`: give traces scores. `evaluate`: read and write datasets, experiments and prompts, also items made of traces.
 * `prompts`: read prompts. `production`: with `evaluate`, also move the label `production` of prompts.
 */
export const apiKeyScopeSchema = z.enum(["ingest", "read", "scores", "evaluate", "prompts", "production"]);
export type ApiKeyScope = z.infer<typeof apiKeyScopeSchema>;

export const createApiKeyRequestSchema = z.object({
  name: z.string().trim().min(1, "give the key a name").max(200).regex(WITHOUT_NUL, nulRefused),
  scopes: z.array(apiKeyScopeSchema).min(1, "give the key a scope").max(10).default(["ingest"]),
});

export const apiKeySchema = z.object({
  id: z.uuid(),
  project_id: z.uuid(),
  name: z.string(),
  /** The key's first characters. */
  prefix: z.string(),
  scopes: z.array(apiKeyScopeSchema),
  created_at: timestamp,
  /** Exact to the minute. */
  last_used_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

/** The only answer with the key itself. */
export const createdApiKeySchema = apiKeySchema.extend({ key: z.string() });
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;
export const apiKeyPageSchema = z.object({ items: z.array(apiKeySchema), next_cursor: z.string().nullable() });
export type ApiKeyPage = z.infer<typeof apiKeyPageSchema>;

/** What people have deleted: who, when and how much of it, and nothing of what it was. */

export const deletionParamsSchema = z.object({ project_id: z.uuid(), deletion_id: z.uuid() });

export const deletionSchema = z.object({
  id: z.uuid(),
  kind: z.enum(["traces", "user"]),
  /**
   * `deleting`: rows are still to go. `settling`: they are gone, and what was on its way when it was asked for, or what producers still refer to, is waited
   * for. `done`: nothing of it is stored any more.
   */
  state: z.enum(["deleting", "settling", "done"]),
  /** A user's id, or `operator`. */
  requested_by: z.string(),
  requested_at: timestamp,
  finished_at: timestamp.nullable(),
  /** So far. */
  traces: z.int(),
  scores: z.int(),
  dead_letters: z.int(),
});
export type Deletion = z.infer<typeof deletionSchema>;

/** The newest first. */
export const deletionPageSchema = z.object({ items: z.array(deletionSchema), next_cursor: z.string().nullable() });
export type DeletionPage = z.infer<typeof deletionPageSchema>;

/**
 * Returns the name of a repository in the code index, `owner/name`. Producers know it by git's remote, which has the
 * host before it (`github.com/owner/name`).
 */
export function repositoryName(repo: string): string {
  const parts = repo.split("/").filter((part) => part !== "");
  return parts.slice(-2).join("/");
}
