import { z } from "zod";
import { id, timestamp } from "./parts.ts";

/** How long a person may let an app in, in days. */
export const GRANT_DAYS = [1, 30, 90] as const;

/** More would not fit into the app's access token. */
export const MAX_GRANTED_REPOSITORIES = 100;

const text = (max: number) => z.string().min(1).max(max);

/** `POST /oauth/register` (RFC 7591). What is not here is not kept. */
export const registerClientRequestSchema = z.object({
  client_name: z.string().max(1000).optional(),
  client_uri: z.string().max(2000).optional(),
  redirect_uris: z.array(text(2000)).min(1, "at least one").max(20, "at most 20"),
  grant_types: z.array(text(100)).max(20).optional(),
  response_types: z.array(text(100)).max(20).optional(),
  token_endpoint_auth_method: text(100).optional(),
});
export type RegisterClientRequest = z.infer<typeof registerClientRequestSchema>;

export const registeredClientSchema = z.object({
  client_id: z.string(),
  /** Seconds since 1970. */
  client_id_issued_at: z.int(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.literal("none"),
});
export type RegisteredClient = z.infer<typeof registeredClientSchema>;

const appSchema = z.object({
  /** The app's own name for itself: nobody has verified it. */
  name: z.string(),
  /** Where the browser goes with the answer. */
  redirect_host: z.string(),
});

/** `GET /oauth/interactions/:uid/consent`: what is asked of the person. */
export const consentQuestionSchema = z.object({
  app: appSchema,
  account: z.object({ email: z.string(), name: z.string(), tenant: z.string() }),
});
export type ConsentQuestion = z.infer<typeof consentQuestionSchema>;

/** `POST /oauth/interactions/:uid/consent` */
export const consentAnswerSchema = z.discriminatedUnion("decision", [
  z.object({ decision: z.literal("deny") }),
  z
    .object({
      decision: z.literal("allow"),
      /** Ids; null for all of the organization, those that come later too. */
      repositories: z
        .array(id)
        .min(1, "at least one, or null for all")
        .max(MAX_GRANTED_REPOSITORIES, `at most ${MAX_GRANTED_REPOSITORIES}, or null for all`)
        .nullable(),
      /** Whether the app may look into the traces that the person may see. */
      traces: z.boolean(),
      /** Whether it may look into their issues and experiments too, and add items to datasets where the person is an editor. */
      evaluation: z.boolean().default(false),
      days: z.literal(GRANT_DAYS),
    })
    .refine(({ evaluation, traces }) => !evaluation || traces, {
      path: ["evaluation"],
      message: "only with traces, which issues and experiments show",
    }),
]);
export type ConsentAnswer = z.infer<typeof consentAnswerSchema>;

/** Where the browser goes on. */
export const consentedSchema = z.object({ continue_to: z.string() });

/** `GET /login/connections`: the apps that one let in oneself. */
export const connectionSchema = z.object({
  id,
  app: appSchema,
  repositories: z.array(id).nullable(),
  traces: z.boolean(),
  evaluation: z.boolean(),
  created_at: timestamp,
  /** When it last got a token, which is for an hour; null when it never did. */
  last_used_at: timestamp.nullable(),
  expires_at: timestamp,
});
export type Connection = z.infer<typeof connectionSchema>;
export const connectionsSchema = z.object({ connections: z.array(connectionSchema) });
