import { AccessTokenError, type AccessTokenVerifier } from "@sightline/foundation/http/access-token";
import type { Clock } from "@sightline/foundation/clock";
import { AppError, codeOf, messageOf } from "@sightline/foundation/errors";
import type { Authenticator } from "@sightline/foundation/http/http-server";
import { setPrincipal, type Principal } from "@sightline/foundation/http/principal";
import { findLiveToken, touchToken, hashToken, TOKEN_PREFIX } from "./developer-tokens.store.ts";
import { findTenant, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import type { ProvisionTenant } from "#tenants/provision-tenant.ts";
import { setAllowedRepositories, setPerson, setTenant, type IncomingRequest } from "#http/kit/request-tenant.ts";

type AuthDependencies = {
  readonly database: CodeIndexDatabase;
  readonly clock: Clock;
  readonly accessTokens: AccessTokenVerifier;
  /** Makes the tenants of tokens that come for the first time; left out, they are unknown. */
  readonly provision?: ProvisionTenant | undefined;
  /** The `www-authenticate` challenge of a refused request to `/mcp`. */
  readonly mcpChallenge: string;
};

/** The last use of a token is noted at most this often. */
const TOUCH_MS = 60_000;
/** Longer credentials are refused before anything is looked up. */
const MAX_TOKEN_LENGTH = 8_192;

/**
 * The auth classes of the API's routes: `reader` is a developer token or an access token, `mcp` the same with
 * the challenge that MCP clients expect, `user` an access token, `admin` one of an admin. All name a registered tenant.
 */
export function createAuthenticators(dependencies: AuthDependencies): Readonly<Record<"reader" | "mcp" | "user" | "admin", Authenticator>> {
  const reader: Authenticator = async (request) => admit(request, await principalFrom(request, dependencies), dependencies);
  const user: Authenticator = async (request) => {
    const principal = await principalFrom(request, dependencies);
    if (principal.kind === "developer-token") {
      throw forbidden("Developer tokens only search and read; use an access token for this.");
    }
    await admit(request, principal, dependencies);
  };
  return {
    reader,
    mcp: async (request) => {
      try {
        await reader(request);
      } catch (error) {
        throw codeOf(error) === "auth_failed" ? authFailed(messageOf(error), dependencies.mcpChallenge) : error;
      }
    },
    user,
    admin: async (request) => {
      const principal = await principalFrom(request, dependencies);
      if (principal.kind !== "user" || principal.role !== "admin") {
        throw forbidden("Only an admin may do this, with an access token.");
      }
      await admit(request, principal, dependencies);
    },
  };
}

type Reader = Extract<Principal, { kind: "user" | "developer-token" }>;

async function principalFrom(request: IncomingRequest, dependencies: AuthDependencies): Promise<Reader> {
  const token = bearerToken(request);
  return token.startsWith(TOKEN_PREFIX)
    ? developerPrincipal(request, token, dependencies)
    : userPrincipal(request, token, dependencies.accessTokens);
}

function bearerToken(request: IncomingRequest): string {
  const [, token] = /^Bearer +([\w.~+/=-]+)$/i.exec(request.headers.authorization ?? "") ?? [];
  if (token === undefined || token.length > MAX_TOKEN_LENGTH) {
    throw authFailed("Send a developer token or an access token as Authorization: Bearer <TOKEN>.");
  }
  return token;
}

async function developerPrincipal(request: IncomingRequest, token: string, { database, clock }: AuthDependencies): Promise<Reader> {
  const row = await findLiveToken(database, hashToken(token));
  if (row === undefined) {
    throw authFailed("The developer token is unknown or revoked; make a new one in the console.");
  }
  const now = clock.now();
  const unlessSince = new Date(now.getTime() - TOUCH_MS);
  if (row.last_used_at === null || row.last_used_at < unlessSince) {
    // Reading works on a full disk, so a failed note must not refuse the request.
    await touchToken(database, { id: row.id, now, unlessSince }).catch((error: unknown) =>
      request.log.warn({ reason: messageOf(error) }, "could not note that a developer token was used"),
    );
  }
  if (row.repositories !== null) {
    setAllowedRepositories(request, row.repositories);
  }
  if (row.traces) {
    setPerson(request, { tenantId: row.tenant_id, userId: row.created_by });
  }
  return { kind: "developer-token", tokenId: row.id, tenantId: row.tenant_id };
}

async function userPrincipal(request: IncomingRequest, token: string, accessTokens: AccessTokenVerifier): Promise<Reader> {
  try {
    const claims = await accessTokens.verify(token);
    setPerson(request, { tenantId: claims.tenantId, userId: claims.subject });
    return {
      kind: "user",
      userId: claims.subject,
      tenantId: claims.tenantId,
      role: claims.role,
      authenticatedAt: claims.authenticatedAt,
      sessionId: claims.sessionId,
    };
  } catch (error) {
    if (error instanceof AccessTokenError) {
      throw authFailed(`The token was refused: ${error.message}.`);
    }
    throw error;
  }
}

async function admit(request: IncomingRequest, principal: Reader, { database, provision }: AuthDependencies): Promise<void> {
  const { kind, tenantId } = principal;
  const tenant = (await findTenant(database, tenantId)) ?? (kind === "user" ? await provision?.(tenantId) : undefined);
  if (tenant === undefined) {
    throw new AppError({
      code: "tenant_unknown",
      status: 403,
      message: "Your organisation (the token's tid) is not registered with the code index; its operator adds it with: sightline tenant add",
    });
  }
  setPrincipal(request, principal);
  setTenant(request, tenant);
}

/** The one answer to every token that does not open what it was sent to. */
function authFailed(message: string, challenge = "Bearer"): AppError {
  return new AppError({ code: "auth_failed", status: 401, message, headers: { "www-authenticate": challenge } });
}

export function forbidden(message: string): AppError {
  return new AppError({ code: "forbidden", status: 403, message });
}
