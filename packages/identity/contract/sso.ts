import { z } from "zod";
import { id, ONE_LINE, timestamp } from "./parts.ts";

/** Requests and answers about company sign-in: a tenant's own OpenID Connect provider. */

const line = (max: number) =>
  z.string().trim().min(1, "at least one character").max(max, `at most ${max} characters`).regex(ONE_LINE, "one line");

/** `https://login.example.org/realms/acme`; without the path that every provider's description is at. */
export const issuerSchema = z
  .url({ protocol: /^https?$/, error: "the address of the provider, https://…" })
  .max(500)
  .transform((address) => address.replace(/\/\.well-known\/openid-configuration$/, ""))
  .refine((address) => {
    const { search, hash, username, password } = new URL(address);
    return `${search}${hash}${username}${password}` === "";
  }, "an address without a query, a fragment or a password");

const domainSchema = z
  .string()
  .trim()
  .toLowerCase()
  // The name of its record is longer, and a name has 253 characters at the most.
  .max(230)
  .regex(/^(?=.{4,})([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/, "a domain such as example.org");

const scopeSchema = z.string().regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,100}$/, "a scope without spaces");
const valuesSchema = z.array(line(200)).max(50);

/** The settings of an admin; `PUT /admin/sso`. */
const settings = {
  /** The name on the button of the login page: "Sign in with …". */
  name: line(40),
  issuer: issuerSchema,
  client_id: line(500),
  /** Asked for besides `openid`. */
  scopes: z.array(scopeSchema).max(20),
  /** The e-mail domains of those who may sign in; each counts once it is proven. */
  domains: z.array(domainSchema).min(1, "at least one domain").max(50),
  /** The claim whose values give a role; null: the provider says nothing of roles. */
  role_claim: line(200).nullable(),
  admin_values: valuesSchema,
  member_values: valuesSchema,
  /** For whom no value is found; null refuses them. Also the role of new accounts where there is no claim. */
  default_role: z.literal("member").nullable(),
  creates_accounts: z.boolean(),
  /** Accounts of the domains log in by the provider alone. */
  enforced: z.boolean(),
  /** The provider asks everybody for a second factor, although it may not say so in `amr`. */
  asks_second_factor: z.boolean(),
  /** Addresses count although the provider says nothing of `email_verified`. */
  vouches_for_addresses: z.boolean(),
  /** The admins who go on logging in by password and second factor when the domain is enforced. */
  break_glass: z.array(id).max(20),
};

export const saveSsoRequestSchema = z.object({
  ...settings,
  /** Left out, the stored one stays: only while issuer and client stay. */
  client_secret: z.string().min(1).max(1000).regex(ONE_LINE, "one line").optional(),
});
export type SaveSsoRequest = z.output<typeof saveSsoRequestSchema>;

/** A listed domain, and what proves by DNS that it is the organization's own. */
export const domainProofSchema = z.object({
  domain: z.string(),
  /** `waiting`: it does not count; `proof_gone`: it counts until `ends_at`. */
  state: z.enum(["waiting", "verified", "proof_gone"]),
  /** The TXT record to publish. */
  record: z.object({ name: z.string(), value: z.string() }),
  verified_at: timestamp.nullable(),
  checked_at: timestamp.nullable(),
  /** When a domain whose record is gone stops to count. */
  ends_at: timestamp.nullable(),
  /** The last answer of DNS, when that was no proof. */
  problem: z.string().nullable(),
});
export type DomainProof = z.infer<typeof domainProofSchema>;

export const ssoSchema = z.object({
  ...settings,
  id,
  issuer: z.string(),
  domains: z.array(z.string()),
  domain_proofs: z.array(domainProofSchema),
  /** The address to register with the provider, to which it may send browsers back. */
  redirect_uri: z.string(),
  updated_at: timestamp,
  /** When somebody last signed in by it. */
  last_login_at: timestamp.nullable(),
});
export type Sso = z.infer<typeof ssoSchema>;

/** `GET /admin/sso`: null while there is none; `redirect_uri` is what the provider has to be told. */
export const ssoAnswerSchema = z.object({ sso: ssoSchema.nullable(), redirect_uri: z.string() });

/** `POST /admin/sso/test`: what is to be tested, before it is saved. */
export const testSsoRequestSchema = saveSsoRequestSchema.pick({ issuer: true, client_id: true, client_secret: true });
export type TestSsoRequest = z.output<typeof testSsoRequestSchema>;

export const ssoTestSchema = z.object({
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), message: z.string() })),
});
export type SsoTest = z.infer<typeof ssoTestSchema>;

/** `POST /admin/sso/domains/verify` */
export const verifyDomainRequestSchema = z.object({ domain: domainSchema });

/** `GET /login/sso`: without a domain those of an installation with one organization. */
export const ssoProvidersQuerySchema = z.object({ domain: z.string().trim().toLowerCase().max(253).optional() });
export const ssoProvidersSchema = z.object({
  providers: z.array(
    z.object({
      id,
      name: z.string(),
      /** Whether the asked domain logs in by it alone. */
      required: z.boolean(),
    }),
  ),
});
export type SsoProviders = z.infer<typeof ssoProvidersSchema>;

/** `POST /login/sso/start` */
export const startSsoRequestSchema = z.object({ provider_id: id });
export const startSsoAnswerSchema = z.object({ continue_to: z.string() });

/** `POST /login/sso`: the query that the provider sent the browser back with. */
export const completeSsoRequestSchema = z.object({ query: z.string().max(8192) });
