import { AccessTokenError, type AccessTokenVerifier, type WorkloadRights } from "@sightline/foundation/http/access-token";
import type { Clock } from "@sightline/foundation/clock";
import { type AppError, errorCode, errorMessage, refusal } from "@sightline/foundation/errors";
import type { Authenticator } from "@sightline/foundation/http/http-server";
import { setPrincipal, type Principal } from "@sightline/foundation/http/principal";
import { findLiveToken, listRepositoryIds, touchToken, hashToken, TOKEN_PREFIX } from "./developer-tokens.store.ts";
import { findTenant, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";
import type { ProvisionTenant } from "#tenants/provision-tenant.ts";
import { setCaller, type IncomingRequest, type Person } from "#http/kit/request-tenant.ts";

type AuthDependencies = {
  readonly database: CodeIndexDatabase;
  readonly clock: Clock;
  readonly accessTokens: AccessTokenVerifier;
  readonly findStanding?: FindStanding | undefined;
  /** Makes the tenants of tokens that come for the first time; left out, they are unknown. */
  readonly provision?: ProvisionTenant | undefined;
  /** The `www-authenticate` challenge of a refused request to `/mcp`. */
  readonly mcpChallenge: string;
};

/** Somebody as they are now, with the repositories that are kept from them; undefined when the account is gone or disabled. */
export type FindStanding = (userId: string) => Promise<{ readonly hidden: readonly string[] } | undefined>;

/** The last use of a token is noted at most this often. */
const TOUCH_MS = 60_000;
/** Longer credentials are refused before anything is looked up. */
const MAX_TOKEN_LENGTH = 8_192;

/**
 * The auth classes of the API's routes: `reader` is a developer token, an access token or an app's, `mcp` the same with
 * the challenge that MCP clients expect, `uploader` an admin's access token or a developer token that uploads, `user` an access token,
 * `admin` one of an admin. All name a registered tenant.
 */
export function createAuthenticators(
  dependencies: AuthDependencies,
): Readonly<Record<"reader" | "mcp" | "uploader" | "user" | "admin", Authenticator>> {
  const reader: Authenticator = async (request) => admit(request, await callerFrom(request, dependencies), dependencies);
  const user: Authenticator = async (request) => {
    const caller = await callerFrom(request, dependencies);
    if (caller.principal.kind === "developer-token") {
      throw forbidden("Developer tokens and connected apps only search and read; use an access token for this.");
    }
    await admit(request, caller, dependencies);
  };
  return {
    reader,
    mcp: async (request) => {
      try {
        await reader(request);
      } catch (error) {
        throw errorCode(error) === "auth_failed" ? authFailed(errorMessage(error), dependencies.mcpChallenge) : error;
      }
    },
    uploader: async (request) => {
      const caller = await callerFrom(request, dependencies);
      if (caller.uploads !== true && !isAdmin(caller)) {
        throw forbidden("Only an admin, or a developer token that may upload, may do this; Connect in the console makes such tokens.");
      }
      await admit(request, caller, dependencies);
    },
    user,
    admin: async (request) => {
      const caller = await callerFrom(request, dependencies);
      if (!isAdmin(caller)) {
        throw forbidden("Only an admin may do this, with an access token.");
      }
      await admit(request, caller, dependencies);
    },
  };
}

function isAdmin({ principal }: Caller): boolean {
  return principal.kind === "user" && principal.role === "admin";
}

type Caller = {
  /** Whose rights it has, which a token may narrow. */
  readonly owner: string;
  readonly principal: Extract<Principal, { kind: "user" | "developer-token" }>;
  readonly repositories?: readonly string[] | undefined;
  readonly person?: Person | undefined;
  readonly uploads?: boolean;
  /** The one that it uploads to. */
  readonly branch?: string | undefined;
  /** Its tenant, when that was read with the token. */
  readonly tenant?: Tenant;
  /** Whether its tenant is made when it comes for the first time: for people, and for apps that they let in. */
  readonly mayProvision?: boolean;
};

async function callerFrom(request: IncomingRequest, dependencies: AuthDependencies): Promise<Caller> {
  const token = bearerToken(request);
  return token.startsWith(TOKEN_PREFIX)
    ? callerOfDeveloperToken(request, token, dependencies)
    : callerOfAccessToken(token, dependencies.accessTokens);
}

function bearerToken(request: IncomingRequest): string {
  const [, token] = /^Bearer +([\w.~+/=-]+)$/i.exec(request.headers.authorization ?? "") ?? [];
  if (token === undefined || token.length > MAX_TOKEN_LENGTH) {
    throw authFailed("Send a developer token or an access token as Authorization: Bearer <TOKEN>.");
  }
  return token;
}

async function callerOfDeveloperToken(
  request: IncomingRequest,
  token: string,
  { database, clock, findStanding }: AuthDependencies,
): Promise<Caller> {
  const live = await findLiveToken(database, hashToken(token));
  if (live === undefined) {
    throw authFailed("The developer token is unknown or revoked; make a new one in the console.");
  }
  const { token: row, tenant } = live;
  if (findStanding !== undefined && (await findStanding(row.created_by)) === undefined) {
    throw authFailed("Whoever made the developer token has left; make a new one in the console.");
  }
  const now = clock.now();
  const unlessSince = new Date(now.getTime() - TOUCH_MS);
  if (row.last_used_at === null || row.last_used_at < unlessSince) {
    // Reading works on a full disk, so a failed note must not refuse the request.
    await touchToken(database, { id: row.id, now, unlessSince }).catch((error: unknown) =>
      request.log.warn({ reason: errorMessage(error) }, "could not note that a developer token was used"),
    );
  }
  return {
    owner: row.created_by,
    principal: { kind: "developer-token", tokenId: row.id, tenantId: row.tenant_id },
    repositories: row.repositories ?? undefined,
    person: row.traces ? { tenantId: row.tenant_id, userId: row.created_by, evaluation: row.evaluation } : undefined,
    uploads: row.uploads,
    tenant,
  };
}

async function callerOfAccessToken(token: string, accessTokens: AccessTokenVerifier): Promise<Caller> {
  try {
    const { subject: userId, tenantId, role, authenticatedAt, sessionId, app, workload } = await accessTokens.verify(token);
    if (workload !== undefined) {
      return jobOf(userId, tenantId, workload);
    }
    if (app !== undefined) {
      // As a developer token of that person, kept to what they allowed: only the classes that let those through let it through.
      return {
        owner: userId,
        principal: { kind: "developer-token", tokenId: app.grantId, tenantId },
        repositories: app.repositories,
        person: app.traces ? { tenantId, userId, evaluation: app.evaluation } : undefined,
        mayProvision: true,
      };
    }
    return {
      owner: userId,
      principal: { kind: "user", userId, tenantId, role, authenticatedAt, sessionId },
      person: { tenantId, userId, evaluation: true },
      mayProvision: true,
    };
  } catch (error) {
    if (error instanceof AccessTokenError) {
      throw authFailed(`The token was refused: ${error.message}.`);
    }
    throw error;
  }
}

/** Rights of a job: those of a developer token that uploads to one repository, and sees that one to find it. */
function jobOf(rule: string, tenantId: string, { repository, scopes, branch }: WorkloadRights): Caller {
  if (repository === undefined || !scopes.includes("scip")) {
    throw forbidden("The rule that let this job in opens no code; an admin makes one with scip and a repository.");
  }
  const principal = { kind: "developer-token", tokenId: rule, tenantId } as const;
  return { owner: rule, principal, repositories: [repository], uploads: true, branch };
}

async function admit(
  request: IncomingRequest,
  { principal, tenant: known, mayProvision = false, repositories: given, person, owner, branch }: Caller,
  { database, provision, findStanding }: AuthDependencies,
): Promise<void> {
  const { tenantId } = principal;
  const tenant = known ?? (await findTenant(database, tenantId)) ?? (mayProvision ? await provision?.(tenantId) : undefined);
  if (tenant === undefined) {
    throw refusal(
      403,
      "tenant_unknown",
      "Your organization (the token's tid) is not registered with the code index; its operator adds it with: sightline tenant add",
    );
  }
  const { hidden = [] } = (await findStanding?.(owner)) ?? {};
  const isKept = hidden.length > 0;
  const repositories = isKept ? (given ?? (await listRepositoryIds(database, tenantId))).filter((id) => !hidden.includes(id)) : given;
  setPrincipal(request, principal);
  setCaller(request, { tenant, repositories, person, branch });
}

/** The one answer to every token that does not open what it was sent to. */
function authFailed(message: string, challenge = "Bearer"): AppError {
  return refusal(401, "auth_failed", message, { headers: { "www-authenticate": challenge } });
}

export function forbidden(message: string): AppError {
  return refusal(403, "forbidden", message);
}
