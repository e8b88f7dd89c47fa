import { z } from "zod";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { getOwner } from "@sightline/foundation/http/principal";
import { routesTagged } from "@sightline/foundation/http/route";
import { getCaller } from "#audit/client.ts";
import { saveSsoRequestSchema, ssoAnswerSchema, ssoTestSchema, testSsoRequestSchema, verifyDomainRequestSchema } from "#contract.ts";
import { describeSso, removeSso, saveSso } from "./configure.ts";
import type { ProviderClients } from "./provider-clients.ts";
import { ssoRedirectUri } from "./start.ts";
import { testSso } from "./test-provider.ts";
import { verifyDomain, type VerifyDependencies } from "./verify-domain.ts";

const BODY_BYTES = 64 * 1024;
const withBody = routesTagged("sso", BODY_BYTES);
const withoutBody = routesTagged("sso");

/** Serves the company sign-in of the admin's own organization. The client's secret goes in, and never out. */
export function ssoConfigurationRoutes(dependencies: VerifyDependencies & { readonly clients: ProviderClients }) {
  async function describe(tenantId: string) {
    return { sso: await describeSso(dependencies, tenantId), redirect_uri: ssoRedirectUri(dependencies.publicUrl) };
  }

  return (server: HttpServer): void => {
    server.get(
      "/admin/sso",
      withoutBody("admin", "Your organization's company sign-in", { response: { 200: ssoAnswerSchema } }),
      (request) => describe(getOwner(request).tenantId),
    );

    server.put(
      "/admin/sso",
      withBody("admin-step-up", "Set up or change company sign-in; every other admin is told", {
        body: saveSsoRequestSchema,
        response: { 200: ssoAnswerSchema },
      }),
      async (request) => {
        await saveSso(dependencies, getCaller(request), request.body);
        return describe(getOwner(request).tenantId);
      },
    );

    server.delete(
      "/admin/sso",
      withoutBody("admin-step-up", "Remove company sign-in: everybody logs in by password again", { response: { 204: z.null() } }),
      async (request, reply) => {
        await removeSso(dependencies, getCaller(request));
        return reply.status(204).send(null);
      },
    );

    server.post(
      "/admin/sso/domains/verify",
      withBody("admin-step-up", "Look up the DNS record that proves a domain; the answer says what was found", {
        body: verifyDomainRequestSchema,
        response: { 200: ssoAnswerSchema },
      }),
      async (request) => {
        await verifyDomain(dependencies, getCaller(request), request.body.domain);
        return describe(getOwner(request).tenantId);
      },
    );

    server.post(
      "/admin/sso/test",
      withBody("admin-step-up", "Ask a provider whether a sign-in would work, before it is saved", {
        body: testSsoRequestSchema,
        response: { 200: ssoTestSchema },
      }),
      (request) => testSso(dependencies, getCaller(request), request.body),
    );
  };
}
