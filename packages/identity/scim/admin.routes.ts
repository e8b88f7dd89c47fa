import { z } from "zod";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { getOwner } from "@sightline/foundation/http/principal";
import { routesTagged } from "@sightline/foundation/http/route";
import type { AdministrationDependencies } from "#administration/act-on-account.ts";
import { getCaller } from "#audit/client.ts";
import { groupsSchema, madeScimTokenSchema, rightsParamsSchema, rightsSchema, saveRightsRequestSchema, scimSchema } from "#contract.ts";
import { acceptNoBody } from "#factors/kit/optional-json.ts";
import { listGroups, MAX_GROUPS } from "./groups.store.ts";
import { changeRights, describeRights } from "./rights.ts";
import { changeToken, describeScim } from "./token.ts";

const route = routesTagged("scim");

/** Serves the directory of the admin's own organization: its token, and what its groups may see. */
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
    server.get(
      "/admin/groups",
      route("admin", "The directory's groups, by name", { response: { 200: groupsSchema } }),
      async (request) => ({
        groups: await listGroups(dependencies.queries, { tenantId: getOwner(request).tenantId, limit: MAX_GROUPS }),
      }),
    );
    const rights = { params: rightsParamsSchema, response: { 200: rightsSchema } };
    server.get("/admin/rights/:kind/:id", route("admin", "Who may see it beside admins, and by which group", rights), (request) =>
      describeRights(dependencies.queries, getOwner(request).tenantId, request.params),
    );
    const changed = { ...rights, body: saveRightsRequestSchema };
    server.put("/admin/rights/:kind/:id", route("admin-step-up", "Give it to groups, and to no others", changed), (request) =>
      changeRights(dependencies, getCaller(request), request.params, request.body),
    );
  };
}
