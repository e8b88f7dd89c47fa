import { z } from "zod";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { getOwner } from "@sightline/foundation/http/principal";
import { routesTagged } from "@sightline/foundation/http/route";
import type { AdministrationDependencies } from "#administration/act-on-account.ts";
import { getCaller } from "#audit/client.ts";
import { madeScimTokenSchema, scimSchema } from "#contract.ts";
import { acceptNoBody } from "#factors/kit/optional-json.ts";
import { changeToken, describeScim } from "./token.ts";

const route = routesTagged("scim");

/** Serves the directory's token of the admin's own organization. */
export function scimAdminRoutes(dependencies: AdministrationDependencies) {
  return (server: HttpServer): void => {
    acceptNoBody(server);
    server.get(
      "/admin/scim",
      route("admin", "Address and token of your organization's directory", { response: { 200: scimSchema } }),
      (request) => describeScim(dependencies, getOwner(request).tenantId),
    );
    server.post(
      "/admin/scim/token",
      route("admin-step-up", "Make the directory's token; the one before ends at once", { response: { 201: madeScimTokenSchema } }),
      async (request, reply) => {
        const secret = await changeToken(dependencies, getCaller(request), "make");
        return reply.status(201).send({ ...(await describeScim(dependencies, getOwner(request).tenantId)), secret });
      },
    );
    server.delete(
      "/admin/scim/token",
      route("admin-step-up", "End the directory's token; people and groups stay", { response: { 204: z.null() } }),
      async (request, reply) => {
        await changeToken(dependencies, getCaller(request), "end");
        return reply.status(204).send(null);
      },
    );
  };
}
