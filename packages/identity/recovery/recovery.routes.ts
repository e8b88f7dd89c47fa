import { z } from "zod";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import { getClient } from "#audit/client.ts";
import { confirmPasswordResetSchema, loginOptionsSchema, passwordResetRequestSchema, type LoginOptions } from "#contract.ts";
import { confirmPasswordReset, type ConfirmationDependencies } from "./confirm-password-reset.ts";
import { requestPasswordReset, type ResetRequestDependencies } from "./request-password-reset.ts";

const BODY_BYTES = 16 * 1024;
const withoutBody = routesTagged("login");
const withBody = routesTagged("login", BODY_BYTES);

type Dependencies = ResetRequestDependencies & ConfirmationDependencies & { readonly registration: LoginOptions["registration"] };

/** Serves people without a session who have forgotten their password or have none yet. */
export function recoveryRoutes(dependencies: Dependencies) {
  const { mailed, registration, devices } = dependencies;
  return (server: HttpServer): void => {
    server.get("/login/options", withoutBody("public", "What a login page may offer", { response: { 200: loginOptionsSchema } }), () => ({
      password_reset: mailed,
      registration,
    }));

    server.post(
      "/login/password-reset",
      withBody("same-origin", "Have a link mailed that sets a new password, if there is such an account", {
        body: passwordResetRequestSchema,
        response: { 202: z.null() },
      }),
      async (request, reply) => {
        await requestPasswordReset(dependencies, request.body.email, getClient(request), devices.presented(request));
        return reply.status(202).send(null);
      },
    );

    server.post(
      "/login/password-reset/confirm",
      withBody("same-origin", "Set the password by a mailed link; logs nobody in", {
        body: confirmPasswordResetSchema,
        response: { 204: z.null() },
      }),
      async (request, reply) => {
        const { token, new_password: newPassword } = request.body;
        await confirmPasswordReset(dependencies, { token, newPassword }, getClient(request));
        return reply.status(204).send(null);
      },
    );
  };
}
