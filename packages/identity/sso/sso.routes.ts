import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import { getClient } from "#audit/client.ts";
import {
  completeSsoRequestSchema,
  loginAnswerSchema,
  ssoProvidersQuerySchema,
  ssoProvidersSchema,
  startSsoAnswerSchema,
  startSsoRequestSchema,
} from "#contract.ts";
import type { TokenCookie } from "#session/cookies.ts";
import { setLoginCookies } from "#session/full-login.ts";
import { listOffered } from "./provider.store.ts";
import { completeSignIn, type SignInDependencies } from "./sign-in.ts";
import { ATTEMPT_SECONDS, startSignIn } from "./start.ts";

const BODY_BYTES = 16 * 1024;
const withBody = routesTagged("sso", BODY_BYTES);
const withoutBody = routesTagged("sso");

type Dependencies = SignInDependencies & {
  readonly cookie: TokenCookie;
  /** Binds a sign-in to the browser that began it. */
  readonly attemptCookie: TokenCookie;
};

/** Serves the sign-in by a company's own provider. */
export function ssoRoutes(dependencies: Dependencies) {
  const { queries, devices, attemptCookie } = dependencies;
  return (server: HttpServer): void => {
    server.get(
      "/login/sso",
      withoutBody("public", "The provider of an e-mail domain, or of an installation with one organization", {
        querystring: ssoProvidersQuerySchema,
        response: { 200: ssoProvidersSchema },
      }),
      async (request) => ({ providers: await listOffered(queries, request.query.domain) }),
    );

    server.post(
      "/login/sso/start",
      withBody("same-origin", "Begin a sign-in by a company's provider: where the browser goes", {
        body: startSsoRequestSchema,
        response: { 200: startSsoAnswerSchema },
      }),
      async (request, reply) => {
        const { continueTo, browser } = await startSignIn(dependencies, request.body.provider_id, getClient(request));
        attemptCookie.set(reply, browser, ATTEMPT_SECONDS);
        return { continue_to: continueTo };
      },
    );

    server.post(
      "/login/sso",
      withBody("same-origin", "Finish it: what the provider sent the browser back with, for a session or a second step", {
        body: completeSsoRequestSchema,
        response: { 200: loginAnswerSchema },
      }),
      async (request, reply) => {
        const from = { client: getClient(request), presented: devices.presented(request) };
        const browser = attemptCookie.read(request);
        attemptCookie.clear(reply);
        const grant = await completeSignIn(dependencies, { query: request.body.query, browser }, from);
        if ("two_factor_required" in grant) {
          return grant;
        }
        setLoginCookies(dependencies, reply, grant);
        return grant.answer;
      },
    );
  };
}
