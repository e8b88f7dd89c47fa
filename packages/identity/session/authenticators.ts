import type { FastifyRequest } from "fastify";
import type { Clock } from "@sightline/foundation/clock";
import type { Authenticator } from "@sightline/foundation/http/http-server";
import { adminOnly, setPrincipal } from "@sightline/foundation/http/principal";
import { refusal } from "#refusals.ts";
import type { Queries } from "#schema.ts";
import type { AccessTokens, VerifiedToken } from "./access-token.ts";
import { requireFreshLogin } from "./require-factor.ts";
import { findSession, type Session } from "./session.store.ts";
import { isLive } from "./sessions.ts";

type Dependencies = { readonly queries: Queries; readonly accessTokens: AccessTokens; readonly clock: Clock };

const BEARER = /^Bearer ([A-Za-z0-9._-]{1,4096})$/i;

/** Reads the session at every request: here a revoked session ends at once, not with its token. */
export function createAuthenticators(dependencies: Dependencies) {
  /** An access token that opens the product, or that of somebody who has yet to replace a one-time password. */
  const any: Authenticator = async (request) => void (await authenticate(request, dependencies));
  /** An access token that opens the product. */
  const session: Authenticator = async (request) => {
    const found = await authenticate(request, dependencies);
    refusePasswordChange(found);
    refuseDueSecondFactor(found, dependencies.clock.now());
  };
  /** An admin's who may have yet to set up the second factor that the organization asks for. */
  async function authenticateAdmin(request: FastifyRequest): Promise<Authenticated> {
    const found = await authenticate(request, dependencies);
    refusePasswordChange(found);
    if (found.session.role !== "admin") {
      throw adminOnly();
    }
    return found;
  }
  async function authenticateFullAdmin(request: FastifyRequest): Promise<Session> {
    const found = await authenticateAdmin(request);
    refuseDueSecondFactor(found, dependencies.clock.now());
    return found.session;
  }
  const settingUp: Authenticator = async (request) => void (await authenticateAdmin(request));
  const admin: Authenticator = async (request) => void (await authenticateFullAdmin(request));
  /** An admin's, on a session whose password and code were verified again within ten minutes. */
  const steppedUp: Authenticator = async (request) => {
    refuseWithoutStepUp(await authenticateFullAdmin(request), dependencies.clock);
  };
  /** Anybody's, who may have yet to set up the second factor that the organization asks for. */
  const anyoneSettingUp: Authenticator = async (request) => refusePasswordChange(await authenticate(request, dependencies));
  /** Anybody's, on a session that began, or was stepped up, at most ten minutes ago. */
  const fresh: Authenticator = async (request) => {
    const found = await authenticate(request, dependencies);
    refusePasswordChange(found);
    requireFreshLogin(found.session, dependencies.clock.now());
  };
  /** Anybody's, on a session that was stepped up within ten minutes. */
  const sessionSteppedUp: Authenticator = async (request) => {
    const found = await authenticate(request, dependencies);
    refusePasswordChange(found);
    refuseDueSecondFactor(found, dependencies.clock.now());
    refuseWithoutStepUp(found.session, dependencies.clock);
  };
  return {
    session,
    "session-setting-up": anyoneSettingUp,
    "fresh-session": fresh,
    "session-step-up": sessionSteppedUp,
    admin,
    "admin-step-up": steppedUp,
    "admin-setting-up": settingUp,
    "session-or-password-change": any,
  };
}

type Authenticated = { readonly session: Session; readonly opens: VerifiedToken["opens"] };

async function authenticate(request: FastifyRequest, { queries, accessTokens, clock }: Dependencies): Promise<Authenticated> {
  const [, token] = BEARER.exec(request.headers.authorization ?? "") ?? [];
  const verified = token === undefined ? undefined : await accessTokens.verify(token);
  const session = verified === undefined ? undefined : await findSession(queries, verified.sessionId);
  if (
    verified === undefined ||
    session === undefined ||
    !isLive(session, clock.now()) ||
    session.userId !== verified.userId ||
    session.epoch !== verified.epoch
  ) {
    throw refusal("auth_failed", { headers: { "www-authenticate": "Bearer" } });
  }
  const { userId, tenantId, role, authenticatedAt, id: sessionId } = session;
  setPrincipal(request, { kind: "user", userId, tenantId, role, authenticatedAt, sessionId });
  return { session, opens: verified.opens };
}

function refuseWithoutStepUp({ stepUpUntil }: Session, clock: Clock): void {
  if (stepUpUntil === null || stepUpUntil <= clock.now()) {
    throw refusal("step_up_required");
  }
}

function refusePasswordChange({ session, opens }: Authenticated): void {
  if (session.mustChangePassword || opens === "password_change") {
    throw refusal("password_change_required");
  }
}

/** Also while a token from before lasts that opened more. */
function refuseDueSecondFactor({ session, opens }: Authenticated, now: Date): void {
  if (opens === "second_factor_setup" || (session.secondFactorDue !== null && session.secondFactorDue <= now)) {
    throw refusal("second_factor_required");
  }
}
