import { z } from "zod";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import { getOwner } from "@sightline/foundation/http/principal";
import { getCaller } from "#audit/client.ts";
import {
  backupCodesAnswerSchema,
  passwordAndCodeSchema,
  secondFactorStatusSchema,
  setupAnswerSchema,
  setupRequestSchema,
  verifySetupAnswerSchema,
  verifySetupRequestSchema,
} from "#contract.ts";
import { disableSecondFactor, regenerateBackupCodes } from "./manage-second-factor.ts";
import { acceptNoBody } from "#factors/kit/optional-json.ts";
import { SETUP_SECONDS, startReplacement, startSetup, type SetupDependencies } from "./start-setup.ts";
import { totpFactor } from "./totp.ts";
import { verifySetup } from "./verify-setup.ts";
import type { TokenCookie } from "#session/cookies.ts";

const BODY_BYTES = 16 * 1024;
const route = routesTagged("second factor", BODY_BYTES);

/**
 * Serves an admin's own second factor. `verify-setup` reads a cookie, yet requires an access token of the same session
 * too: with the cookie alone, which is all that another site can make a browser send, it answers 401.
 */
export function adminSecondFactorRoutes(
  dependencies: SetupDependencies & { readonly cookie: TokenCookie; readonly refreshCookie: TokenCookie },
) {
  const { cookie, refreshCookie } = dependencies;
  return (server: HttpServer): void => {
    acceptNoBody(server);

    server.get("/admin/2fa", route("admin-setting-up", "Your second factor", { response: { 200: secondFactorStatusSchema } }), (request) =>
      totpFactor.describe(dependencies.queries, getOwner(request).userId, dependencies.clock.now()),
    );

    server.post(
      "/admin/2fa/setup",
      route(
        "admin-setting-up",
        "A new secret, shown and not stored. Once the login is ten minutes old: with the password, or beside a passkey after a step-up",
        {
          body: setupRequestSchema,
          response: { 200: setupAnswerSchema },
        },
      ),
      async (request, reply) => {
        const answer = await startSetup(dependencies, getCaller(request), request.body?.password);
        cookie.set(reply, answer.setup_token, SETUP_SECONDS);
        return answer;
      },
    );

    server.post(
      "/admin/2fa/verify-setup",
      route(
        "admin-setting-up",
        "The first code of the new secret switches it on, and answers the backup codes and a new session in place of all others",
        {
          body: verifySetupRequestSchema,
          response: { 200: verifySetupAnswerSchema },
        },
      ),
      async (request, reply) => {
        const { code, setup_token: token = cookie.read(request) } = request.body;
        const { backupCodes, grant } = await verifySetup(dependencies, getCaller(request), { code, token });
        cookie.clear(reply);
        refreshCookie.set(reply, grant.refreshToken, grant.refreshMaxAgeSeconds);
        return { totp_enabled: true as const, backup_codes: [...backupCodes], ...grant.answer };
      },
    );

    server.post(
      "/admin/2fa/replace",
      route("admin", "A new secret in place of the one in use, which stays good until the new one's first code", {
        body: passwordAndCodeSchema,
        response: { 200: setupAnswerSchema },
      }),
      async (request, reply) => {
        const answer = await startReplacement(dependencies, getCaller(request), request.body);
        cookie.set(reply, answer.setup_token, SETUP_SECONDS);
        return answer;
      },
    );

    server.post(
      "/admin/2fa/backup-codes",
      route("admin", "Ten new backup codes; the old ones count no more", {
        body: passwordAndCodeSchema,
        response: { 200: backupCodesAnswerSchema },
      }),
      async (request) => ({
        backup_codes: [...(await regenerateBackupCodes(dependencies, getCaller(request), request.body))],
      }),
    );

    server.post(
      "/admin/2fa/disable",
      route("admin", "Switch the second factor off", { body: passwordAndCodeSchema, response: { 204: z.null() } }),
      async (request, reply) => {
        await disableSecondFactor(dependencies, getCaller(request), request.body);
        return reply.status(204).send(null);
      },
    );
  };
}
