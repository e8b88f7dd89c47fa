import { createHash, timingSafeEqual } from "node:crypto";
import { AccessTokenError, type AccessTokenVerifier } from "@sightline/foundation/http/access-token";
import { refusal } from "@sightline/foundation/errors";
import type { Authenticator } from "@sightline/foundation/http/http-server";
import { adminOnly, getPrincipal, setPrincipal, type Principal } from "@sightline/foundation/http/principal";

/** An API key, or a job: what it opens. */
export type UsableKey = {
  readonly id: string;
  readonly projectId: string;
  readonly tenantId: string;
  readonly scopes: readonly string[];
  /** The one branch that it may experiment on; any when left out. */
  readonly branch?: string | undefined;
  readonly isJob?: boolean;
};

export type ObservabilityAuthenticators = {
  /** Lets a person in. @returns what a job's token opens, which is for the caller to judge. */
  readonly admitOrJob: (request: Parameters<Authenticator>[0]) => Promise<UsableKey | undefined>;
  /** Anyone with an access token of a tenant. */
  readonly user: Authenticator;
  /** Anyone's access token, or the operator's API_KEY as `Authorization: Bearer` or `X-API-Key`; the project tells who may. */
  readonly "user-or-operator": Authenticator;
  /** An admin's access token, or the operator's API_KEY as `Authorization: Bearer` or `X-API-Key`. */
  readonly "admin-or-operator": Authenticator;
};

type User = Extract<Principal, { readonly kind: "user" }>;
type UserOrOperator = Extract<Principal, { readonly kind: "user" | "operator" }>;
type Credentials = {
  readonly accessTokens: AccessTokenVerifier;
  readonly apiKey: string;
  readonly findStanding?: FindStanding | undefined;
};
type Standing = { readonly isAdmin: boolean } & Pick<User, "tenantId" | "projects">;

/** Somebody as they are now; undefined when there is no such account, or it is disabled. */
export type FindStanding = (userId: string) => Promise<Standing | undefined>;

const BEARER = /^Bearer ([\x21-\x7e]{1,8192})$/i;

export type Recheck = (request: Parameters<Authenticator>[0], since: Date) => Promise<void>;

/**
 * Checks again what was let in earlier and still goes on: an API key or access token that was revoked no longer counts,
 * an access token that has only expired does.
 */
export function createRecheck({
  accessTokens,
  authenticate,
}: Pick<Credentials, "accessTokens"> & { readonly authenticate: Authenticator }): Recheck {
  return async (request, since) => {
    const token = bearerOf(request.headers.authorization);
    const isKey = request.headers["x-api-key"] !== undefined || token === undefined || /^studio_/i.test(token);
    await (getPrincipal(request).kind === "user" || !isKey ? callerOf(token, accessTokens, since) : authenticate(request));
  };
}

export function createAuthenticators({ accessTokens, apiKey, findStanding }: Credentials): ObservabilityAuthenticators {
  async function principalFrom(request: Parameters<Authenticator>[0]): Promise<UserOrOperator> {
    const token = bearerOf(request.headers.authorization);
    const key = request.headers["x-api-key"] ?? token;
    return typeof key === "string" && isSame(key, apiKey) ? { kind: "operator" } : withGroups(await userOf(token, accessTokens));
  }

  async function withGroups(user: User): Promise<User> {
    return { ...user, projects: (await findStanding?.(user.userId))?.projects };
  }

  async function admitOrJob(request: Parameters<Authenticator>[0]): Promise<UsableKey | undefined> {
    const caller = await callerOf(bearerOf(request.headers.authorization), accessTokens);
    if (!("kind" in caller)) {
      return caller;
    }
    setPrincipal(request, await withGroups(caller));
    return undefined;
  }

  return {
    admitOrJob,
    user: async (request) => {
      if ((await admitOrJob(request)) !== undefined) {
        throw notForJobs();
      }
    },
    "user-or-operator": async (request) => {
      setPrincipal(request, await principalFrom(request));
    },
    "admin-or-operator": async (request) => {
      const principal = await principalFrom(request);
      if (principal.kind === "user" && principal.role !== "admin") {
        throw adminOnly();
      }
      setPrincipal(request, principal);
    },
  };
}

function bearerOf(header: string | undefined): string | undefined {
  return BEARER.exec(header ?? "")?.[1];
}

const notForJobs = () =>
  refusal(403, "forbidden", "A job's token opens the project of its rule, with the scopes of that, and nothing else.");

async function userOf(token: string | undefined, accessTokens: AccessTokenVerifier): Promise<User> {
  const caller = await callerOf(token, accessTokens);
  if (!("kind" in caller)) {
    throw notForJobs();
  }
  return caller;
}

/** A person, or what a job's token opens. */
async function callerOf(token: string | undefined, accessTokens: AccessTokenVerifier, at?: Date): Promise<User | UsableKey> {
  if (token === undefined) {
    throw authFailed("Send an access token as Authorization: Bearer <token>.");
  }
  try {
    const { subject: userId, tenantId, role, authenticatedAt, sessionId, workload } = await accessTokens.verify(token, at);
    if (workload !== undefined) {
      const { project: projectId, scopes, branch } = workload;
      return { id: userId, tenantId, projectId: projectId ?? "", scopes, branch, isJob: true };
    }
    return { kind: "user", userId, tenantId, role, authenticatedAt, sessionId };
  } catch (error) {
    if (error instanceof AccessTokenError) {
      throw authFailed(`Log in again: ${error.message}.`, error);
    }
    throw error;
  }
}

const authFailed = (message: string, cause?: unknown) =>
  refusal(401, "auth_failed", message, { headers: { "www-authenticate": "Bearer" }, cause });

/** Compares hashes, so that the time taken reveals neither the length nor the place of the first difference. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(createHash("sha256").update(given).digest(), createHash("sha256").update(expected).digest());
}
