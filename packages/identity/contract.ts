import { z } from "zod";
import { factorSchema } from "./contract/factor.ts";
import { cursor, emailAddress, fullSessionSchema, id, limit, ONE_LINE, timestamp } from "./contract/parts.ts";

/** Requests and answers of the identity part; safe to import in a browser. */

export * from "./contract/audit.ts";
export * from "./contract/factor.ts";
export * from "./contract/oauth.ts";
export * from "./contract/passkey.ts";
export * from "./contract/rights.ts";
export * from "./contract/scim.ts";
export * from "./contract/sso.ts";
export * from "./contract/workload.ts";
export { EMAIL_ADDRESS, fullSessionSchema, ONE_LINE, type FullSession } from "./contract/parts.ts";

const newPassword = z.string().min(12, "at least 12 characters").max(256, "at most 256 characters");

const personName = z.string().trim().min(1, "at least one character").max(200).regex(ONE_LINE, "no control characters");

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

export const partialSessionSchema = z.object({
  two_factor_required: z.literal(true),
  partial_token: z.string(),
  /** Seconds. */
  expires_in: z.int(),
  /** The kinds that the second step takes, where they are more than codes. */
  methods: z.array(factorSchema).optional(),
});
export type PartialSession = z.infer<typeof partialSessionSchema>;

export const loginAnswerSchema = z.union([fullSessionSchema, partialSessionSchema]);

/** `GET /login/me`: the account of the session. */
export const meSchema = userSchema.extend({
  tenant: z.object({ id: z.string(), name: z.string() }),
  must_change_password: z.boolean(),
  totp_enabled: z.boolean(),
  /** From when on an admin without a second factor can only set one up, by the policy; null for everybody else. */
  second_factor_due: timestamp.nullable(),
  /** How many passkeys the account has. */
  passkeys: z.int(),
  /** Whether it may add one: every admin, and members where the policy says so. */
  may_add_passkeys: z.boolean(),
  /** How long this session may do what requires a recent step-up; null when it may not. */
  step_up_until: timestamp.nullable(),
});
export type Me = z.infer<typeof meSchema>;

/** `POST /login/password`: sets a new password; the forced change of a one-time password goes the same way. */
export const changePasswordRequestSchema = z.object({
  current_password: z.string().max(1024),
  new_password: newPassword,
});
export type ChangePasswordRequest = z.infer<typeof changePasswordRequestSchema>;

export const registerRequestSchema = z.object({
  email: emailAddress,
  password: newPassword,
  name: personName,
});
export type RegisterRequest = z.infer<typeof registerRequestSchema>;

export const registerAnswerSchema = userSchema.extend({ created_at: timestamp });

export const jwksSchema = z.object({
  keys: z.array(z.object({ kty: z.string(), kid: z.string(), use: z.string(), alg: z.string(), n: z.string(), e: z.string() })),
});

/** `GET /.well-known/oauth-authorization-server` (RFC 8414). */
export const authorizationServerSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string(),
  revocation_endpoint: z.string(),
  jwks_uri: z.string(),
  grant_types_supported: z.array(z.string()),
  response_types_supported: z.array(z.string()),
  response_modes_supported: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  revocation_endpoint_auth_methods_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()),
  client_id_metadata_document_supported: z.boolean(),
  authorization_response_iss_parameter_supported: z.boolean(),
});

const password = z.string().max(1024);
/** Six digits, or a backup code; spaces and hyphens as people paste them. */
const code = z.string().trim().min(1, "the code from the authenticator app, or a backup code").max(64);

/** `POST /login/verify-2fa` */
export const verifySecondFactorRequestSchema = z.object({ partial_token: z.string().max(128), code });
export type VerifySecondFactorRequest = z.infer<typeof verifySecondFactorRequestSchema>;

export const verifySecondFactorAnswerSchema = fullSessionSchema.extend({
  method: z.enum(["totp", "backup_code"]),
  backup_codes_remaining: z.int(),
});
export type VerifySecondFactorAnswer = z.infer<typeof verifySecondFactorAnswerSchema>;

/** `POST /step-up`; without a second factor the password alone. */
export const stepUpRequestSchema = z.object({ password, code: code.optional() });
export type StepUpRequest = z.infer<typeof stepUpRequestSchema>;

export const stepUpAnswerSchema = z.object({ step_up_until: timestamp });

/** `GET /login/sessions` */
export const sessionSchema = z.object({
  id,
  current: z.boolean(),
  created_at: timestamp,
  last_used_at: timestamp,
  /** When the session ends unless it is used before. */
  idle_expires_at: timestamp,
  expires_at: timestamp,
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  /** The methods its owner logged in with: `pwd`, `otp`, `backup`. */
  amr: z.array(z.string()),
});
export type SessionItem = z.infer<typeof sessionSchema>;
export const sessionsSchema = z.object({ sessions: z.array(sessionSchema) });
export const revokedSessionsSchema = z.object({ revoked: z.int() });

/** `GET /admin/2fa` */
export const secondFactorStatusSchema = z.object({
  totp_enabled: z.boolean(),
  backup_codes_remaining: z.int(),
  totp_last_used_at: timestamp.nullable(),
  /** How long authenticator codes are refused. */
  locked_until: timestamp.nullable(),
  /** Authenticator codes are refused until a backup code was used, or another admin resets the second factor. */
  suspended: z.boolean(),
});
export type SecondFactorStatus = z.infer<typeof secondFactorStatusSchema>;

/** `POST /admin/2fa/setup`: no body, or the password when the login is older than ten minutes. */
export const setupRequestSchema = z.object({ password: password.optional() }).nullish();

/** Shown once, stored nowhere. */
export const setupAnswerSchema = z.object({
  /** Base32, 160 bits. */
  secret: z.string(),
  otpauth_url: z.string(),
  qr_svg: z.string(),
  setup_token: z.string(),
  /** Seconds. */
  expires_in: z.int(),
});
export type SetupAnswer = z.infer<typeof setupAnswerSchema>;

/** `POST /admin/2fa/verify-setup`; the token may come by its cookie instead. */
export const verifySetupRequestSchema = z.object({ code, setup_token: z.string().max(4096).optional() });

/** With a new session, which takes the place of all others. */
export const verifySetupAnswerSchema = fullSessionSchema.extend({ totp_enabled: z.literal(true), backup_codes: z.array(z.string()) });

/** `POST /admin/2fa/replace`, `/backup-codes`, `/disable` */
export const passwordAndCodeSchema = z.object({ password, code });
export type PasswordAndCode = z.infer<typeof passwordAndCodeSchema>;

export const backupCodesAnswerSchema = z.object({ backup_codes: z.array(z.string()) });

/** What takes two admins where the policy says so. */
const actionOfTwoSchema = z.enum(["reset", "delete", "demote", "disable"]);
export type ActionOfTwo = z.infer<typeof actionOfTwoSchema>;

/** `GET /admin/users` and what the routes below it answer. */
export const accountSchema = userSchema.extend({
  created_at: timestamp,
  disabled_at: timestamp.nullable(),
  last_login_at: timestamp.nullable(),
  totp_enabled: z.boolean(),
  /** How many passkeys it has. */
  passkeys: z.int(),
  must_change_password: z.boolean(),
  /** Invited, and has not chosen a password yet. */
  invited: z.boolean(),
  /** What waits for another admin; the reason is empty but for resets of the second factor. */
  waiting: z
    .object({ action: actionOfTwoSchema, asked_by: z.object({ id, email: z.string() }), reason: z.string(), expires_at: timestamp })
    .nullable(),
});
export type AccountItem = z.infer<typeof accountSchema>;

export const accountsQuerySchema = z.object({ limit, cursor, search: z.string().trim().max(200).optional(), role: roleSchema.optional() });
export const accountsSchema = z.object({ users: z.array(accountSchema), next_cursor: z.string().nullable() });
export type Accounts = z.infer<typeof accountsSchema>;

/** `POST /admin/users`: with `invite` a link is mailed, else a one-time password is answered. */
export const createAccountRequestSchema = z.object({
  email: emailAddress,
  name: personName,
  role: roleSchema.default("member"),
  invite: z.boolean().default(false),
});
export type CreateAccountRequest = z.input<typeof createAccountRequestSchema>;

export const createAccountAnswerSchema = z.object({
  user: accountSchema,
  /** Shown once; null when an invitation was mailed. */
  one_time_password: z.string().nullable(),
});
export type CreateAccountAnswer = z.infer<typeof createAccountAnswerSchema>;

/** `PATCH /admin/users/:id` */
export const changeAccountRequestSchema = z
  .object({ name: personName, role: roleSchema, disabled: z.boolean(), must_change_password: z.literal(true) })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, "name, role, disabled or must_change_password");
export type ChangeAccountRequest = z.infer<typeof changeAccountRequestSchema>;

/** `POST /admin/users/:id/2fa/reset` */
export const resetSecondFactorRequestSchema = z.object({
  reason: z.string().trim().min(3, "why, for the audit").max(500).regex(ONE_LINE, "one line, no control characters"),
});

/** `GET /admin/policy` and the answer to `PUT`. */
export const policySchema = z.object({
  /** From when on admins need a second factor; null: they do not. */
  admins_need_second_factor_from: timestamp.nullable(),
  /** Whether a reset of a second factor, and what takes an admin away, waits for another admin. */
  resets_need_two: z.boolean(),
  /** When that ends, a day after it was switched off; null while it goes on or is off. */
  resets_need_two_until: timestamp.nullable(),
  /** Whether members may add passkeys. Those that they have count either way. */
  members_may_add_passkeys: z.boolean(),
});
export type Policy = z.infer<typeof policySchema>;

/** `PUT /admin/policy`: what is left out stays. */
export const changePolicyRequestSchema = z
  .object({ admins_need_second_factor_from: timestamp.nullable(), resets_need_two: z.boolean(), members_may_add_passkeys: z.boolean() })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, "admins_need_second_factor_from, resets_need_two or members_may_add_passkeys");
export type ChangePolicyRequest = z.infer<typeof changePolicyRequestSchema>;

/** `POST /admin/users/:id/password-reset`: without a body a link is mailed where there is a mail server, else a one-time password answered. */
export const resetPasswordRequestSchema = z.object({ mail: z.boolean().optional() }).nullish();
export const resetPasswordAnswerSchema = z.object({ one_time_password: z.string().nullable() });

/** `POST /login/password-reset`: always 202, whether there is such an account or not. */
export const passwordResetRequestSchema = z.object({ email: z.string().max(320) });

/** `POST /login/password-reset/confirm`: the token of a mailed reset or invitation. Then one logs in, second factor and all. */
export const confirmPasswordResetSchema = z.object({ token: z.string().max(128), new_password: newPassword });

/** `GET /login/options`: what a login page may offer. */
export const loginOptionsSchema = z.object({ password_reset: z.boolean(), registration: z.enum(["open", "closed"]) });
export type LoginOptions = z.infer<typeof loginOptionsSchema>;

/** `GET /login/notices` */
export const noticeSchema = z.object({
  id,
  kind: z.string(),
  at: timestamp,
  /** One sentence for people. */
  text: z.string(),
  details: z.record(z.string(), z.string()),
});
export type Notice = z.infer<typeof noticeSchema>;
export const noticesSchema = z.object({ notices: z.array(noticeSchema) });

/** `POST /people/find`: names and addresses of accounts of one's own tenant; ids and addresses without an account are left out. */
export const findPeopleRequestSchema = z.object({
  ids: z.array(id).max(200).default([]),
  /** Whole addresses. */
  emails: z.array(z.string().trim().max(320)).max(20).default([]),
});
export type FindPeopleRequest = z.input<typeof findPeopleRequestSchema>;
export const personSchema = z.object({ id, email: z.string(), name: z.string(), disabled: z.boolean() });
export type Person = z.infer<typeof personSchema>;
export const peopleSchema = z.object({ people: z.array(personSchema) });
