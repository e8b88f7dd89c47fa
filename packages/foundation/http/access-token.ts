import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from "jose";
import { z } from "zod";
import { errorMessage } from "#errors.ts";
import type { Logger } from "#log.ts";
import { createRareWarning } from "#rare-warning.ts";
import { LIFETIME, refuseLooseToken } from "./token-lifetime.ts";
import { createCredentialEpochs, type CredentialEpochsOptions } from "./credential-epochs.ts";

/** The claims of a verified access token. */
export type AccessTokenClaims = {
  readonly subject: string;
  readonly tenantId: string;
  readonly role: "admin" | "member";
  readonly issuedAt: Date;
  readonly authenticatedAt: Date;
  readonly sessionId: string | undefined;
  readonly epoch: number | undefined;
  /** Set when the token is an app's, which its subject let in: it opens what they allowed, and never all that they may do themself. */
  readonly app?: AppRights | undefined;
  /** Set when the token is a job's, by a rule that is its subject and no account: it opens what the rule says, and nothing else. */
  readonly workload?: WorkloadRights | undefined;
};

/** The audience of tokens for jobs, which whoever does not ask for it refuses. */
export const WORKLOAD_AUDIENCE = "sightline-workload";

const workloadSchema = z.object({
  /** Ids. */
  repository: z.uuid().optional(),
  project: z.uuid().optional(),
  scopes: z.array(z.enum(["scip", "evaluate", "read"])),
  /** The one branch that it may upload to and experiment on, where the job's host names one. */
  branch: z.string().optional(),
});
export type WorkloadRights = z.infer<typeof workloadSchema>;

export type AppRights = {
  /** What it was granted by, which is the token's session. */
  readonly grantId: string;
  /** Ids; all of the tenant when undefined. */
  readonly repositories: readonly string[] | undefined;
  readonly traces: boolean;
  /** Issues, experiments and adding to datasets. */
  readonly evaluation: boolean;
};

export type AccessTokenVerifier = {
  /**
   * @param at when it must not have expired yet, for what goes on for longer than a token lasts; now without it. What was ended early counts at no time.
   * @throws {AccessTokenError} with a reason that may be shown.
   */
  readonly verify: (token: string, at?: Date) => Promise<AccessTokenClaims>;
};

/** The token was refused. */
export class AccessTokenError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = "AccessTokenError";
  }
}

/** A verifier to start before the first request: it follows the feed of ended credentials, where there is one. */
export type StartedVerifier = AccessTokenVerifier & { readonly start: () => Promise<void>; readonly stop: () => Promise<void> };

type VerifierOptions = {
  readonly jwksUrl: string;
  readonly log: Logger;
  readonly audience: string;
  /** The audience of apps' tokens, where they are accepted at all. */
  readonly appAudience?: string | undefined;
  /** Whether tokens of jobs are accepted. */
  readonly workloads?: boolean;
  /** With or without a slash at its end. Not checked when undefined: an external identity provider is configured by key address and audience alone. */
  readonly issuer?: string | undefined;
  /** The `typ` of the header; identity writes `at+jwt`, external providers what they like. */
  readonly type?: string | undefined;
  /** Identity's feed of the accounts and sessions whose tokens stopped to count before their time; external providers have none. */
  readonly epochs?: Pick<CredentialEpochsOptions, "url" | "metrics" | "intervalMs"> | undefined;
  /** Undefined when the subject's account is gone or disabled, where that can be asked for: sooner than the feed tells. */
  readonly findStanding?: ((subject: string) => Promise<object | undefined>) | undefined;
};

const JWKS_TIMEOUT_MS = 3_000;
const JWKS_COOLDOWN_MS = 5_000;
const JWKS_REFRESH_MS = 10 * 60_000;
/** Cached keys are used as long as a token they have signed is valid, while they can't be fetched. */
const JWKS_KEPT_MS = 70 * 60_000;

const claimsSchema = z.object({
  sub: z.string().min(1),
  tid: z.string().min(1),
  iat: z.number(),
  role: z.enum(["admin", "member"]).default("member"),
  auth_time: z.number().optional(),
  sid: z.string().optional(),
  epoch: z.number().optional(),
});

const appClaimsSchema = z.object({
  sid: z.uuid(),
  epoch: z.number(),
  repositories: z.array(z.uuid()).min(1).optional(),
  traces: z.boolean(),
  /** Tokens from before there was the choice don't say. */
  evaluation: z.boolean().default(false),
});

/**
 * Verifies RS256 tokens, whoever issues them, by the signing keys at `jwksUrl`. `sub, tid, aud, exp, iat` are required, and what
 * `token-lifetime.ts` says.
 *
 * @example
 * const accessTokens = createAccessTokenVerifier({ jwksUrl, log, audience: "sightline", issuer, type: "at+jwt", epochs: { url } });
 * await accessTokens.start();
 * const { subject, tenantId } = await accessTokens.verify(token);
 */
export function createAccessTokenVerifier(options: VerifierOptions): StartedVerifier {
  const { jwksUrl, log } = options;
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: JWKS_TIMEOUT_MS,
    cooldownDuration: JWKS_COOLDOWN_MS,
    cacheMaxAge: JWKS_KEPT_MS,
  });
  // Any request may need the keys, so one that fails is not a line each.
  const warn = createRareWarning({ log, message: "the signing keys of access tokens can't be fetched, so tokens may be refused" });
  const onFetchFailure = (error: unknown) => warn({ url: jwksUrl, reason: reasonOfFetch(error) });
  let refreshedAt = Date.now();
  // Keys are reloaded in the background, so that an outage of their publisher is not at once an outage of every verifier.
  const refreshKeys = () => {
    if (Date.now() - refreshedAt > JWKS_REFRESH_MS) {
      refreshedAt = Date.now();
      void keys.reload().catch(onFetchFailure);
    }
  };
  const issuer = bothSpellings(options.issuer);
  const epochs = options.epochs === undefined ? undefined : createCredentialEpochs({ ...options.epochs, log, keys, issuer });
  return {
    start: async () => epochs?.start(),
    stop: async () => epochs?.stop(),
    verify: async (token, at) => {
      refreshKeys();
      const payload = await verifySignature(token, keys, { ...options, issuer, at, onFetchFailure });
      const claims = claimsSchema.safeParse(payload);
      if (!claims.success) {
        throw new AccessTokenError("a required claim of the access token is missing or malformed");
      }
      const { sub, tid, role, iat, auth_time: authTime, sid, epoch } = claims.data;
      const refusal = epochs?.refusal({ subject: sub, epoch, sessionId: sid });
      if (refusal !== undefined) {
        throw new AccessTokenError(refusal);
      }
      if (options.findStanding !== undefined && (await options.findStanding(sub)) === undefined) {
        throw new AccessTokenError("its account is disabled or gone");
      }
      return {
        subject: sub,
        tenantId: tid,
        role,
        issuedAt: new Date(iat * 1000),
        authenticatedAt: new Date((authTime ?? iat) * 1000),
        sessionId: sid,
        epoch,
        workload: options.workloads === true && [payload.aud].flat().includes(WORKLOAD_AUDIENCE) ? workloadOf(payload) : undefined,
        app: options.appAudience !== undefined && [payload.aud].flat().includes(options.appAudience) ? appRightsOf(payload) : undefined,
      };
    },
  };
}

function appRightsOf(payload: JWTPayload): AppRights {
  const claims = appClaimsSchema.safeParse(payload);
  if (!claims.success) {
    throw new AccessTokenError("a claim of the app's access token is missing or malformed");
  }
  const { sid: grantId, repositories, traces, evaluation } = claims.data;
  return { grantId, repositories, traces, evaluation };
}

function workloadOf(payload: JWTPayload): WorkloadRights {
  const { data } = workloadSchema.safeParse(payload["workload"]);
  if (data === undefined) {
    throw new AccessTokenError("a claim of the job's access token is missing or malformed");
  }
  return data;
}

function bothSpellings(issuer: string | undefined): string[] | undefined {
  const bare = issuer?.replace(/\/+$/, "");
  return bare === undefined ? undefined : [bare, `${bare}/`];
}

type Expected = Pick<VerifierOptions, "audience" | "appAudience" | "workloads" | "type"> & {
  readonly issuer: string[] | undefined;
  readonly at: Date | undefined;
  readonly onFetchFailure: (error: unknown) => void;
};

async function verifySignature(
  token: string,
  keys: ReturnType<typeof createRemoteJWKSet>,
  { audience, appAudience, workloads = false, issuer, type, at, onFetchFailure }: Expected,
): Promise<JWTPayload> {
  try {
    const verified = await jwtVerify(token, keys, {
      ...LIFETIME,
      algorithms: ["RS256"],
      audience: [audience, ...(appAudience === undefined ? [] : [appAudience]), ...(workloads ? [WORKLOAD_AUDIENCE] : [])],
      requiredClaims: ["sub", "tid", "aud", "exp", "iat"],
      ...(issuer === undefined ? {} : { issuer }),
      ...(type === undefined ? {} : { typ: type }),
      ...(at === undefined ? {} : { currentDate: at }),
    });
    refuseLooseToken(verified);
    return verified.payload;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === NOT_FETCHED) {
      onFetchFailure(error);
    }
    throw new AccessTokenError(reason, error);
  }
}

const NOT_FETCHED = "the signing keys could not be fetched";

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) {
    return "the access token has expired; log in again";
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `the access token's claim ${error.claim} is not accepted`;
  }
  if (error instanceof errors.JOSEError && !cameFromKeys(error)) {
    return "the access token is not valid";
  }
  return NOT_FETCHED;
}

/** What the connection failed of, where there was none: fetch itself says only that it failed. */
function reasonOfFetch(error: unknown): string {
  return errorMessage(error instanceof TypeError && error.cause !== undefined ? error.cause : error);
}

/** Whether the keys' address answered late, with an error page, or with something else than keys. */
function cameFromKeys(error: errors.JOSEError): boolean {
  return error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === errors.JOSEError.code;
}
