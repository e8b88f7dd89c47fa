import { z } from "zod";

/** Requests and answers of the identity part; safe to import in a browser. */

const timestamp = z.iso.datetime();

export const roleSchema = z.enum(["admin", "member"]);

export const userSchema = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  role: roleSchema,
});
export type User = z.infer<typeof userSchema>;

/** `POST /login/access-token` as JSON; as an OAuth2 form the fields are `username` and `password`. */
export const loginRequestSchema = z.union([
  z.object({ email: z.string().max(320), password: z.string().max(1024) }),
  z.object({ username: z.string().max(320), password: z.string().max(1024) }),
]);
export type LoginRequest = z.infer<typeof loginRequestSchema>;

export const fullSessionSchema = z.object({
  token_type: z.literal("bearer"),
  access_token: z.string(),
  /** Seconds. */
  expires_in: z.int(),
});
export type FullSession = z.infer<typeof fullSessionSchema>;

export const partialSessionSchema = z.object({
  two_factor_required: z.literal(true),
  partial_token: z.string(),
  /** Seconds. */
  expires_in: z.int(),
});
export type PartialSession = z.infer<typeof partialSessionSchema>;

export const loginAnswerSchema = z.union([fullSessionSchema, partialSessionSchema]);
export type LoginAnswer = z.infer<typeof loginAnswerSchema>;

/** `GET /login/me`: whose session it is. */
export const meSchema = userSchema.extend({
  tenant: z.object({ id: z.string(), name: z.string() }),
  must_change_password: z.boolean(),
});
export type Me = z.infer<typeof meSchema>;

/** `POST /login/password`: sets a new password; the forced change of a one-time password goes the same way. */
export const changePasswordRequestSchema = z.object({
  current_password: z.string().max(1024),
  new_password: z.string().min(12, "at least 12 characters").max(256, "at most 256 characters"),
});
export type ChangePasswordRequest = z.infer<typeof changePasswordRequestSchema>;

export const registerRequestSchema = z.object({
  email: z.email().max(320),
  password: z.string().min(12, "at least 12 characters").max(256, "at most 256 characters"),
  name: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/^\P{Cc}*$/u, "no control characters"),
});
export type RegisterRequest = z.infer<typeof registerRequestSchema>;

export const registerAnswerSchema = userSchema.extend({ created_at: timestamp });
export type RegisterAnswer = z.infer<typeof registerAnswerSchema>;

export const jwksSchema = z.object({
  keys: z.array(z.object({ kty: z.string(), kid: z.string(), use: z.string(), alg: z.string(), n: z.string(), e: z.string() })),
});

/** `GET /.well-known/oauth-authorization-server` (RFC 8414). */
export const authorizationServerSchema = z.object({
  issuer: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  grant_types_supported: z.array(z.string()),
  response_types_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()),
});
