import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import { callerOf, clientOf } from "#audit/client.ts";
import { stepUpAnswerSchema, stepUpRequestSchema, verifySecondFactorAnswerSchema, verifySecondFactorRequestSchema } from "#contract.ts";
import type { TokenCookie } from "#session/cookies.ts";
import { stepUp } from "./step-up.ts";
import { verifySecondFactor, type SecondStepDependencies } from "./verify-second-factor.ts";

const BODY_BYTES = 16 * 1024;
const route = routesTagged("login", BODY_BYTES);

export function secondStepRoutes(dependencies: SecondStepDependencies & { readonly cookie: TokenCookie }) {
  const { cookie } = dependencies;
  return (server: HttpServer): void => {
    server.post(
      "/login/verify-2fa",
      route("same-origin", "The second step of the login: partial token and code", {
        body: verifySecondFactorRequestSchema,
        response: { 200: verifySecondFactorAnswerSchema },
      }),
      async (request, reply) => {
        const { accepted, ...grant } = await verifySecondFactor(dependencies, request.body, clientOf(request));
        cookie.set(reply, grant.refreshToken, grant.refreshMaxAgeSeconds);
        return { ...grant.answer, method: accepted.method, backup_codes_remaining: accepted.backupCodesRemaining };
      },
    );

    server.post(
      "/step-up",
      route("session", "Password and code once more, for what asks for them", {
        body: stepUpRequestSchema,
        response: { 200: stepUpAnswerSchema },
      }),
      async (request) => {
        const until = await stepUp(dependencies, callerOf(request), request.body);
        return { step_up_until: until.toISOString() };
      },
    );
  };
}
