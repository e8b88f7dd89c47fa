import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import { getOwner, type Owner } from "@sightline/foundation/http/principal";
import { findProfile } from "#accounts/account.store.ts";
import { getCaller, getClient } from "#audit/client.ts";
import {
  changePasswordRequestSchema,
  fullSessionSchema,
  loginAnswerSchema,
  loginRequestSchema,
  meSchema,
  stepUpAnswerSchema,
  stepUpRequestSchema,
  verifySecondFactorAnswerSchema,
  verifySecondFactorRequestSchema,
  type Me,
} from "#contract.ts";
import { findBackupCodes } from "#factors/backup-code/backup-codes.store.ts";
import { verifySecondStep } from "#factors/kit/second-step.ts";
import type { TokenCookie } from "#session/cookies.ts";
import { setLoginCookies } from "#session/full-login.ts";
import { findSession } from "#session/session.store.ts";
import { changePassword } from "./change-password.ts";
import { login, type LoginDependencies } from "./login.ts";
import { stepUp, type StepUpDependencies } from "./step-up.ts";

const BODY_BYTES = 16 * 1024;
const withBody = routesTagged("login", BODY_BYTES);
const withoutBody = routesTagged("login");

export function loginRoutes(dependencies: LoginDependencies & { readonly cookie: TokenCookie }) {
  const { cookie, devices } = dependencies;
  return (server: HttpServer): void => {
    // OAuth2's password form. Only the routes of this scope read forms.
    server.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string", bodyLimit: BODY_BYTES }, (_request, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(body.toString()))),
    );

    server.post(
      "/login/access-token",
      withBody("same-origin", "Log in with e-mail address and password", {
        consumes: ["application/json", "application/x-www-form-urlencoded"],
        body: loginRequestSchema,
        response: { 200: loginAnswerSchema },
      }),
      async (request, reply) => {
        const { password, ...rest } = request.body;
        const email = "email" in rest ? rest.email : rest.username;
        const grant = await login(dependencies, { email, password }, getClient(request), devices.presented(request));
        if ("two_factor_required" in grant) {
          return grant;
        }
        setLoginCookies(dependencies, reply, grant);
        return grant.answer;
      },
    );

    server.post(
      "/login/password",
      withBody("session-or-password-change", "Set a new password; every other session ends", {
        body: changePasswordRequestSchema,
        response: { 200: fullSessionSchema },
      }),
      async (request, reply) => {
        const grant = await changePassword(dependencies, getCaller(request), request.body);
        cookie.set(reply, grant.refreshToken, grant.refreshMaxAgeSeconds);
        return grant.answer;
      },
    );

    server.get(
      "/login/me",
      withoutBody("session-or-password-change", "Whose session this is", { response: { 200: meSchema } }),
      (request) => describeOwner(dependencies, getOwner(request)),
    );
  };
}

export function secondStepRoutes(dependencies: StepUpDependencies & { readonly cookie: TokenCookie }) {
  const { queries, devices, codes } = dependencies;
  return (server: HttpServer): void => {
    server.post(
      "/login/verify-2fa",
      withBody("same-origin", "The second step of the login: partial token and code", {
        body: verifySecondFactorRequestSchema,
        response: { 200: verifySecondFactorAnswerSchema },
      }),
      async (request, reply) => {
        const { partial_token: token, code } = request.body;
        const from = { client: getClient(request), presented: devices.presented(request) };
        const { userId, method, ...grant } = await verifySecondStep(dependencies, token, codes.proofOf(code), from);
        setLoginCookies(dependencies, reply, grant);
        return { ...grant.answer, method, backup_codes_remaining: (await findBackupCodes(queries, userId)).length };
      },
    );

    server.post(
      "/step-up",
      withBody("session-or-password-change", "Password and code once more, for what asks for them", {
        body: stepUpRequestSchema,
        response: { 200: stepUpAnswerSchema },
      }),
      async (request) => {
        const until = await stepUp(dependencies, getCaller(request), request.body);
        return { step_up_until: until.toISOString() };
      },
    );
  };
}

async function describeOwner({ queries, clock }: LoginDependencies, { userId, sessionId }: Owner): Promise<Me> {
  const profile = await findProfile(queries, userId);
  const session = await findSession(queries, sessionId);
  if (profile === undefined || session === undefined) {
    throw new Error("The account of a live session is gone.");
  }
  const { tenantId, tenantName, ...account } = profile;
  const { stepUpUntil, secondFactorDue } = session;
  return {
    ...account,
    tenant: { id: tenantId, name: tenantName },
    second_factor_due: secondFactorDue?.toISOString() ?? null,
    step_up_until: stepUpUntil !== null && stepUpUntil > clock.now() ? stepUpUntil.toISOString() : null,
  };
}
