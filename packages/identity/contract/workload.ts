import { z } from "zod";
import { id, ONE_LINE, timestamp } from "./parts.ts";
import { issuerSchema } from "./sso.ts";

/** Jobs that an organization trusts by what their host says of them, without a stored secret. */

/** GitHub's, GitLab's and Kubernetes' ways to name a job, with its repository or its service account in full; one star behind that. */
const PINNED =
  /^(?:(?:repo:[^*:/]+\/[^*:/]+|project_path:[^*:/]+(?:\/[^*:/]+)+):(?=.)[^*]*\*?[^*]*|system:serviceaccount:[^*:/]+:[^*:/]+)$/u;
const UNPINNED =
  "name one repository in full, as in repo:acme/shop:ref:refs/heads/main, repo:acme/shop:*, project_path:acme/shop:* or system:serviceaccount:ci:gate: with a star in its place, every repository of the host would be let in";

/** `scip` uploads SCIP indexes of the repository; `evaluate` reads and writes datasets and experiments of the project, `read` reads the project, exports too. */
const scopeSchema = z.enum(["scip", "evaluate", "read"]);

const rule = {
  /** `https://token.actions.githubusercontent.com`, `https://gitlab.com`, or of one's own. */
  issuer: issuerSchema,
  /** The pattern that `sub` of the job's ID token has to fit; one star behind the repository stands for anything. */
  subject: z.string().max(300).regex(ONE_LINE, "one line").regex(PINNED, UNPINNED),
  /** Its branches, such as `main` or `release/*`; null lets every job in that the subject does. */
  branches: z
    .string()
    .max(200)
    .regex(ONE_LINE, "one line")
    .regex(/^(?!\*?$)[^*]*\*?[^*]*$/u, "a branch, with one star at the most; null for all of them")
    .nullable()
    .default(null),
  repository_id: id.nullable().default(null),
  project_id: id.nullable().default(null),
  scopes: z.array(scopeSchema).min(1).max(3),
};

export const workloadRequestSchema = z
  .object(rule)
  .refine(({ scopes, repository_id: repository }) => scopes.includes("scip") === (repository !== null), {
    path: ["repository_id"],
    error: "scip takes a repository, and nothing else does",
  })
  .refine(({ scopes, project_id: project }) => scopes.some((scope) => scope !== "scip") === (project !== null), {
    path: ["project_id"],
    error: "evaluate and read take a project, and nothing else does",
  });
export type WorkloadRequest = z.output<typeof workloadRequestSchema>;

export const workloadSchema = z.object({
  ...rule,
  id,
  issuer: z.string(),
  subject: z.string(),
  branches: z.string().nullable(),
  /** The ID token's audience, for this rule alone; CI has it as SIGHTLINE_WORKLOAD. */
  audience: z.string(),
  /** False once whoever made it is disabled or no admin any more: make it anew. */
  active: z.boolean(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
});
export type Workload = z.infer<typeof workloadSchema>;
export const workloadsSchema = z.object({ workloads: z.array(workloadSchema) });
