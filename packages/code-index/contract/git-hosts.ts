import { z } from "zod";
import { webhookProviderSchema } from "./webhook-hosts.ts";

/** What connects the code index with git hosts: credentials to fetch with, and the deliveries of their webhooks. */

const timestamp = z.iso.datetime();

// Credentials

export const credentialKindSchema = z.enum(["token", "github_app", "deploy_key"]);

export const createCredentialRequestSchema = z
  .object({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(/^[^\0]*$/, "a NUL character can't be in a name"),
    kind: credentialKindSchema,
    /** As in a clone URL, with its port if it has one: `github.com`. */
    host: z
      .string()
      .toLowerCase()
      .max(255)
      .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/, "expected a host, as github.com or git.example.org:8443"),
    /** The token, the app's private key (PEM) or the deploy key (OpenSSH or PEM); never shown again. */
    secret: z.string().min(1).max(20_000),
    /** Beside a token, for hosts that want one. */
    username: z.string().max(200).optional(),
    app_id: z
      .string()
      .regex(/^\d{1,20}$/)
      .optional(),
    installation_id: z
      .string()
      .regex(/^\d{1,20}$/)
      .optional(),
  })
  .refine(({ kind, app_id, installation_id }) => kind !== "github_app" || (app_id !== undefined && installation_id !== undefined), {
    message: "a GitHub App has an app_id and an installation_id",
    path: ["app_id"],
  });
export type CreateCredentialRequest = z.infer<typeof createCredentialRequestSchema>;

export const replaceSecretRequestSchema = z.object({ secret: z.string().min(1).max(20_000) });

export const credentialSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  kind: credentialKindSchema,
  host: z.string(),
  username: z.string().nullable(),
  app_id: z.string().nullable(),
  installation_id: z.string().nullable(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  last_error: z.string().nullable(),
});
export type Credential = z.infer<typeof credentialSchema>;

export const testCredentialRequestSchema = z.object({ clone_url: z.string().max(2000) });
export const testedCredentialSchema = z.object({ ok: z.boolean(), message: z.string(), default_branch: z.string().nullable() });

// Webhook deliveries

export const deliveryStatusSchema = z.enum(["accepted", "ignored"]);

export const deliverySchema = z.object({
  id: z.uuid(),
  provider: webhookProviderSchema,
  delivery_id: z.string(),
  event: z.string(),
  repo_id: z.uuid(),
  /** As the host called the repository. */
  full_name: z.string(),
  /** The branches that were pushed to. */
  changes: z.array(z.object({ branch: z.string(), before: z.string().nullable(), after: z.string().nullable(), deleted: z.boolean() })),
  status: deliveryStatusSchema,
  /** Why nothing, or not everything, was indexed. */
  reason: z.string(),
  job_ids: z.array(z.uuid()),
  received_at: timestamp,
  replays: z.int(),
  replayed_at: timestamp.nullable(),
});
export type Delivery = z.infer<typeof deliverySchema>;
