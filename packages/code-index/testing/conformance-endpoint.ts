import type { AddressInfo } from "node:net";
import { createHttpServer } from "@sightline/foundation/http/http-server";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { setPrincipal } from "@sightline/foundation/http/principal";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createMcpEndpoint } from "#mcp/handler.ts";
import { mcpRoutes } from "#mcp/mcp.routes.ts";
import { setCaller } from "#http/kit/request-tenant.ts";
import { withinThisProcess } from "#mcp/kit/running-calls.ts";
import { tenantSchema } from "#store/tenancy/tenant.ts";
import { createConformanceServer } from "./conformance-fixtures.ts";

/**
 * The product's own HTTP stack and `/mcp` endpoint with the conformance suite's fixtures in place of the code index, and
 * open to everybody, since the suite can't send a token. Nothing of the product reaches this file.
 */
export async function startConformanceEndpoint(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const tenant = { tenantId: "one", name: "one", schema: tenantSchema("one"), role: null };
  const endpoint = createMcpEndpoint({
    createServer: createConformanceServer,
    cancellations: withinThisProcess,
    log: silentLog,
  });
  const server = await createHttpServer({
    name: "conformance",
    title: "Conformance",
    version: "1.0.0",
    log: silentLog,
    metrics: createMetrics("test"),
    authenticators: {
      mcp: async (request) => {
        setPrincipal(request, { kind: "developer-token", tokenId: "conformance", tenantId: "one" });
        setCaller(request, { tenant });
      },
    },
    routes: [
      mcpRoutes({
        publicUrl: "http://localhost:8080",
        limit: async () => undefined,
        endpoint: () => endpoint,
      }),
    ],
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/mcp`,
    stop: async () => {
      server.server.closeAllConnections();
      await server.close();
      await endpoint.close();
    },
  };
}
