import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { endEarlyAnswer } from "@sightline/foundation/http/early-answer";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { toAppError } from "@sightline/foundation/http/http-errors";
import { getOwner } from "@sightline/foundation/http/principal";
import { routesTagged } from "@sightline/foundation/http/route";
import { getCaller, getClient } from "#audit/client.ts";
import {
  authorizationServerSchema,
  connectionsSchema,
  consentAnswerSchema,
  consentedSchema,
  consentQuestionSchema,
  registerClientRequestSchema,
  registeredClientSchema,
} from "#contract.ts";
import { placeCounters } from "#throttle/counters.ts";
import type { Counter } from "#throttle/throttle.ts";
import { authorizationServer } from "./addresses.ts";
import { endConnection, listConnections } from "./connections.ts";
import { answerQuestion, describeQuestion } from "./consent.ts";
import type { OauthDependencies, OauthProvider } from "./provider.ts";
import { registerClient } from "./register-client.ts";

type Dependencies = OauthDependencies & { readonly provider: OauthProvider };

const BODY_BYTES = 16 * 1024;
const CACHE_SECONDS = 300;
const withBody = routesTagged("connections", BODY_BYTES);
const withoutBody = routesTagged("connections");
const uid = z.object({ uid: z.string().max(128) });

/** Each request of an app for a person is a row until it is answered. */
function authorizationCounters(ip: string): readonly Counter[] {
  return placeCounters("oauth-authorize", ip, { tries: 100, windowSeconds: 600 });
}

/** A token that was made up costs a look into the database. */
function tokenCounters(ip: string): readonly Counter[] {
  return placeCounters("oauth-token", ip, { tries: 600, windowSeconds: 600 });
}

/** Serves apps: the library reads their forms and answers as OAuth says. */
export function oauthProtocolRoutes({ provider, throttle }: Dependencies) {
  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    endEarlyAnswer(request, reply);
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) {
        reply.raw.setHeader(name, value);
      }
    }
    reply.hijack();
    await provider.answer({ request: request.raw, response: reply.raw }, getClient(request));
  }

  async function answerApp(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await throttle.take(tokenCounters(getClient(request).ip));
    return answer(request, reply);
  }

  return (server: HttpServer): void => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser("*", (_request, _body, done) => done(null));

    server.get(
      "/oauth/authorize",
      withoutBody("public", "An app asks for access (OAuth 2.1, PKCE): leads the browser to the person's consent", {
        response: { 303: z.null(), "4xx": refusedPage },
      }),
      async (request, reply) => {
        await throttle.take(authorizationCounters(getClient(request).ip));
        return answer(request, reply);
      },
    );
    server.get(
      "/oauth/authorize/:uid",
      withoutBody("public", "Leads the browser back to the app, with a code for it", {
        params: uid,
        response: { 303: z.null(), "4xx": refusedPage },
      }),
      answer,
    );
    server.post(
      "/oauth/token",
      withBody("public", "An app exchanges its code or its refresh token, or a job its ID token (RFC 8693), for an access token", {
        response: { 200: tokenAnswer, "4xx": refusedToApp },
      }),
      answerApp,
    );
    server.post(
      "/oauth/revoke",
      withBody("public", "An app ends what it was granted (RFC 7009)", { response: { 200: z.null(), "4xx": refusedToApp } }),
      answerApp,
    );
  };
}

/** For the API's description alone: the library writes the answer (RFC 6749, 5.1). */
const tokenAnswer = z.object({
  access_token: z.string(),
  issued_token_type: z.string().optional(),
  token_type: z.literal("Bearer"),
  expires_in: z.int(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
});

/** OAuth's own fields (RFC 6749, 5.2); of too many tries those of every other route. */
const refusedToApp = z.looseObject({ error: z.string(), error_description: z.string().optional() });
const refusedPage = {
  description: "A page for the person at the browser.",
  content: { "text/html": { schema: z.string() }, "application/json": { schema: refusedToApp } },
};

/** Apps look for OAuth's own fields and codes (RFC 7591, 3.2.2). */
function answerAsOauth(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  const refused = toAppError(error);
  if (refused.status >= 500) {
    throw error;
  }
  const details = (refused.details ?? []).map(({ path, message }) => `${path}: ${message}`).join("; ");
  const code = refused.code === "invalid_request" ? "invalid_client_metadata" : refused.code;
  void reply
    .headers({ ...refused.headers })
    .status(refused.status)
    .send({ ...refused.toBody(), error: code, error_description: details === "" ? refused.message : details });
}

/** Serves the console, which asks the person, and makes apps known. */
export function oauthRoutes(dependencies: Dependencies) {
  return (server: HttpServer): void => {
    server.post(
      "/oauth/register",
      {
        ...withBody("public", "An app registers itself (RFC 7591)", {
          body: registerClientRequestSchema,
          response: { 201: registeredClientSchema },
        }),
        errorHandler: answerAsOauth,
      },
      async (request, reply) => reply.status(201).send(await registerClient(dependencies, request.body, getClient(request).ip)),
    );

    server.get(
      "/oauth/interactions/:uid",
      withoutBody("public", "Leads the browser to the page of the console that asks for consent", {
        params: uid,
        response: { 303: z.null() },
      }),
      async (request, reply) =>
        reply.redirect(`${dependencies.publicUrl}/connect/authorize/${encodeURIComponent(request.params.uid)}`, 303),
    );

    server.get(
      "/oauth/interactions/:uid/consent",
      withoutBody("session", "What an app asks of you", { params: uid, response: { 200: consentQuestionSchema } }),
      (request, reply) => describeQuestion(dependencies, request, reply),
    );

    server.post(
      "/oauth/interactions/:uid/consent",
      withBody("session", "Let an app in, or do not", { params: uid, body: consentAnswerSchema, response: { 200: consentedSchema } }),
      async (request, reply) => ({ continue_to: await answerQuestion(dependencies, request, reply, request.body) }),
    );

    server.get(
      "/login/connections",
      withoutBody("session", "The apps that you let in", { response: { 200: connectionsSchema } }),
      async (request) => ({ connections: await listConnections(dependencies, getOwner(request)) }),
    );

    server.delete(
      "/login/connections/:id",
      withoutBody("session", "End what an app was granted", { params: z.object({ id: z.uuid() }), response: { 204: z.null() } }),
      async (request, reply) => {
        await endConnection(dependencies, getCaller(request), request.params.id);
        return reply.status(204).send(null);
      },
    );
  };
}

export function authorizationServerRoutes(publicUrl: string) {
  return (server: HttpServer): void => {
    server.get(
      "/.well-known/oauth-authorization-server",
      withoutBody("public", "RFC 8414 metadata", { response: { 200: authorizationServerSchema } }),
      async (_request, reply) => {
        reply.header("cache-control", `public, max-age=${CACHE_SECONDS}`);
        return authorizationServer(publicUrl);
      },
    );
  };
}
