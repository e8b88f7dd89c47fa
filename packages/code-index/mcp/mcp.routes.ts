import { localhostAllowedHostnames, localhostAllowedOrigins, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { refusal } from "@sightline/foundation/errors";
import type { Routes } from "@sightline/foundation/http/http-server";
import { route } from "@sightline/foundation/http/route";
import { getPrincipal } from "@sightline/foundation/http/principal";
import { z } from "zod";
import { forbidden } from "#http/access/authenticators.ts";
import type { CallLimit } from "./call-limit.ts";
import type { McpEndpoint } from "./handler.ts";
import { getPerson, getAccess, type IncomingRequest } from "#http/kit/request-tenant.ts";

type McpDependencies = {
  readonly publicUrl: string;
  readonly limit: CallLimit;
  /** `undefined` before the start and after the stop. */
  readonly endpoint: () => McpEndpoint | undefined;
};

const GONE = new Error("the answer was sent, or nobody waits for it");

/** Calls are questions, not uploads. */
const BODY_LIMIT = 1024 * 1024;

export function mcpRoutes({ publicUrl, limit, endpoint }: McpDependencies): Routes {
  return (server) => {
    // The SDK reads bodies itself, and answers bad ones as JSON-RPC says.
    server.removeAllContentTypeParsers();
    server.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    // Runs after authentication: who has no token learns nothing else.
    server.addHook("onRequest", async (request) => {
      refuseForeignPages(request, new URL(publicUrl).hostname);
      await limit(callerOf(request));
    });

    server.route({
      // HEAD by name: what Fastify would make of it from GET expects an answer of its own kind.
      method: ["GET", "HEAD", "POST", "DELETE"],
      url: "/mcp",
      config: { auth: "mcp" },
      bodyLimit: BODY_LIMIT,
      schema: { hide: true },
      handler: async (request, reply) => {
        const serving = endpoint();
        if (serving === undefined) {
          throw refusal(503, "not_ready", "The MCP endpoint is starting or stopping; try again.");
        }
        const gone = new AbortController();
        reply.raw.on("close", () => gone.abort(GONE));
        return reply.send(
          await serving.serve({
            request: webRequest(request, publicUrl),
            gone: gone.signal,
            opens: { access: getAccess(request), person: getPerson(request) },
            caller: callerOf(request),
          }),
        );
      },
    });
  };
}

/** A token counts for itself, and a person for all their browser's tabs and access tokens. */
function callerOf(request: IncomingRequest): string {
  const principal = getPrincipal(request);
  switch (principal.kind) {
    case "developer-token":
      return `token ${principal.tokenId}`;
    case "user":
      return `user ${principal.userId} of ${principal.tenantId}`;
    case "project-key":
    case "operator":
    default:
      throw new Error(`${principal.kind} came to /mcp`);
  }
}

/** The challenge of a refused MCP request: it leads clients to the metadata, by an absolute address. */
export function mcpChallenge(publicUrl: string): string {
  return `Bearer resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp"`;
}

const metadataSchema = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()).optional(),
  scopes_supported: z.array(z.string()).optional(),
  resource_name: z.string(),
  bearer_methods_supported: z.array(z.string()),
  resource_documentation: z.string(),
});

/**
 * RFC 9728, at both addresses that clients try.
 *
 * @param authorizationServer where apps are let in by people; undefined with an external identity provider, whose tokens are of another kind.
 */
export function resourceMetadataRoutes(publicUrl: string, authorizationServer: string | undefined): Routes {
  return (server) => {
    for (const url of ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]) {
      server.get(url, route("public", "RFC 9728 metadata of the MCP endpoint", { response: { 200: metadataSchema } }), async () => ({
        resource: `${publicUrl}/mcp`,
        ...(authorizationServer === undefined ? {} : { authorization_servers: [authorizationServer], scopes_supported: ["mcp"] }),
        resource_name: "Sightline code index",
        bearer_methods_supported: ["header"],
        resource_documentation: `${publicUrl}/docs`,
      }));
    }
  };
}

/** A page of another site that a browser was led to, or a name that was rebound to this address, may not call. */
function refuseForeignPages({ headers }: IncomingRequest, hostname: string): void {
  const host = validateHostHeader(headers.host, [hostname, ...localhostAllowedHostnames()]);
  if (!host.ok) {
    throw forbidden("The request's Host is not this server's; set CODEINDEX_PUBLIC_URL to the address that clients use.");
  }
  const origin = validateOriginHeader(headers.origin, [hostname, ...localhostAllowedOrigins()]);
  if (!origin.ok) {
    throw forbidden("Pages of this Origin may not call the code index.");
  }
}

function webRequest(request: IncomingRequest, publicUrl: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // The token is verified already, and nothing behind this needs it.
    if (value !== undefined && name !== "authorization") {
      headers.set(name, Array.isArray(value) ? value.join(", ") : value);
    }
  }
  const body = Buffer.isBuffer(request.body) && request.method === "POST" ? new Uint8Array(request.body) : null;
  return new Request(new URL("/mcp", publicUrl), { method: request.method, headers, body });
}
