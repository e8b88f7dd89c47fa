import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import { getOwner } from "@sightline/foundation/http/principal";
import { getCaller } from "#audit/client.ts";
import { changePolicyRequestSchema, policySchema } from "#contract.ts";
import type { AdministrationDependencies } from "./act-on-account.ts";
import { changePolicy, describePolicy } from "./policy.ts";

const BODY_BYTES = 4 * 1024;
const withoutBody = routesTagged("policy");
const withBody = routesTagged("policy", BODY_BYTES);

/** Serves what the admin's own organization asks of its admins. */
export function policyRoutes(dependencies: AdministrationDependencies) {
  return (server: HttpServer): void => {
    server.get("/admin/policy", withoutBody("admin", "What is asked of admins", { response: { 200: policySchema } }), (request) =>
      describePolicy(dependencies, getOwner(request).tenantId),
    );

    server.put(
      "/admin/policy",
      withBody("admin-step-up", "Ask admins for a second factor, or resets of one for a second admin", {
        body: changePolicyRequestSchema,
        response: { 200: policySchema },
      }),
      (request) => changePolicy(dependencies, getCaller(request), request.body),
    );
  };
}
