import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import { getOwner } from "@sightline/foundation/http/principal";
import { getCaller, getClient } from "#audit/client.ts";
import {
  passkeyAnswerRequestSchema,
  passkeyCreationSchema,
  passkeyLoginAnswerSchema,
  passkeyRequestSchema,
  passkeysSchema,
  registerPasskeyAnswerSchema,
  registerPasskeyRequestSchema,
  renamePasskeyRequestSchema,
  secondStepPasskeyOptionsRequestSchema,
  secondStepPasskeyRequestSchema,
  stepUpAnswerSchema,
  type PasskeyLoginAnswer,
} from "#contract.ts";
import type { TokenCookie } from "#session/cookies.ts";
import { setLoginCookies, type LoginGrant } from "#session/full-login.ts";
import { acceptNoBody } from "#factors/kit/optional-json.ts";
import { verifySecondStep } from "#factors/kit/second-step.ts";
import { loginOptions, logInWithPasskey, secondStepOptions, type PasskeyLoginDependencies } from "./log-in.ts";
import { describePasskey, passkeyFactor, passkeyProof } from "./passkey.ts";
import { removeOwnPasskey, renameOwnPasskey } from "./own-passkeys.ts";
import { registerPasskey, registrationOptions, type RegistrationDependencies } from "./register-passkey.ts";
import { stepUpOptions, stepUpWithPasskey } from "./step-up.ts";

const BODY_BYTES = 32 * 1024;
const withBody = routesTagged("passkeys", BODY_BYTES);
const withoutBody = routesTagged("passkeys", 1024);

type LoginDependencies = PasskeyLoginDependencies & { readonly cookie: TokenCookie };

/** Serves passkeys at the login: as its second step, and as a login of its own. */
export function passkeyLoginRoutes(dependencies: LoginDependencies) {
  const { devices } = dependencies;
  return (server: HttpServer): void => {
    acceptNoBody(server);

    server.post(
      "/login/passkey/options",
      withoutBody("same-origin", "What a browser asks a passkey for, to log in without a password", {
        response: { 200: passkeyRequestSchema },
      }),
      (request) => loginOptions(dependencies, getClient(request)),
    );

    server.post(
      "/login/passkey",
      withBody("same-origin", "Log in with a passkey alone", {
        body: passkeyAnswerRequestSchema,
        response: { 200: passkeyLoginAnswerSchema },
      }),
      async (request, reply) => {
        const from = { client: getClient(request), presented: devices.presented(request) };
        return answer(dependencies, reply, await logInWithPasskey(dependencies, request.body.response, from));
      },
    );

    server.post(
      "/login/verify-2fa/passkey/options",
      withBody("same-origin", "What a browser asks a passkey for, at the second step of the login", {
        body: secondStepPasskeyOptionsRequestSchema,
        response: { 200: passkeyRequestSchema },
      }),
      (request) => secondStepOptions(dependencies, request.body.partial_token, getClient(request)),
    );

    server.post(
      "/login/verify-2fa/passkey",
      withBody("same-origin", "The second step of the login: partial token and passkey", {
        body: secondStepPasskeyRequestSchema,
        response: { 200: passkeyLoginAnswerSchema },
      }),
      async (request, reply) => {
        const { partial_token: token, response } = request.body;
        const from = { client: getClient(request), presented: devices.presented(request) };
        return answer(dependencies, reply, await verifySecondStep(dependencies, token, passkeyProof(dependencies, response), from));
      },
    );
  };
}

const params = z.object({ id: z.uuid().toLowerCase() });

/** Serves one's own passkeys, for every account. */
export function ownPasskeyRoutes(dependencies: RegistrationDependencies & { readonly cookie: TokenCookie }) {
  return (server: HttpServer): void => {
    acceptNoBody(server);

    server.get(
      "/login/passkeys",
      withoutBody("session-setting-up", "Your passkeys", { response: { 200: passkeysSchema } }),
      async (request) => ({
        passkeys: await passkeyFactor.describe(dependencies.queries, getOwner(request).userId, dependencies.clock.now()),
      }),
    );

    server.post(
      "/login/passkeys/options",
      withoutBody("fresh-session", "What a browser makes a new passkey of", { response: { 200: passkeyCreationSchema } }),
      (request) => registrationOptions(dependencies, getCaller(request)),
    );

    server.post(
      "/login/passkeys",
      withBody("fresh-session", "Add a passkey; with the first one every other session ends, and yours is a new one", {
        body: registerPasskeyRequestSchema,
        response: { 201: registerPasskeyAnswerSchema },
      }),
      async (request, reply) => {
        const { passkey, grant } = await registerPasskey(dependencies, getCaller(request), request.body);
        if (grant !== undefined) {
          dependencies.cookie.set(reply, grant.refreshToken, grant.refreshMaxAgeSeconds);
        }
        return reply.status(201).send({ ...grant?.answer, passkey: describePasskey(passkey) });
      },
    );

    server.patch(
      "/login/passkeys/:id",
      withBody("fresh-session", "Rename one of your passkeys", { params, body: renamePasskeyRequestSchema, response: { 204: z.null() } }),
      async (request, reply) => {
        await renameOwnPasskey(dependencies, getCaller(request), request.params.id, request.body.name);
        return reply.status(204).send(null);
      },
    );

    server.delete(
      "/login/passkeys/:id",
      withoutBody("session-step-up", "Remove one of your passkeys; your other sessions end", { params, response: { 204: z.null() } }),
      async (request, reply) => {
        await removeOwnPasskey(dependencies, getCaller(request), request.params.id);
        return reply.status(204).send(null);
      },
    );

    server.post(
      "/step-up/passkey/options",
      withoutBody("session-or-password-change", "What a browser asks a passkey for, in place of password and code", {
        response: { 200: passkeyRequestSchema },
      }),
      (request) => stepUpOptions(dependencies, getCaller(request)),
    );

    server.post(
      "/step-up/passkey",
      withBody("session-or-password-change", "A passkey in place of password and code, for what asks for them", {
        body: passkeyAnswerRequestSchema,
        response: { 200: stepUpAnswerSchema },
      }),
      async (request) => {
        const until = await stepUpWithPasskey(dependencies, getCaller(request), request.body.response);
        return { step_up_until: until.toISOString() };
      },
    );
  };
}

function answer(dependencies: LoginDependencies, reply: FastifyReply, grant: LoginGrant): PasskeyLoginAnswer {
  setLoginCookies(dependencies, reply, grant);
  return { ...grant.answer, method: "passkey" };
}
