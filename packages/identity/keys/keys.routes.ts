import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import { authorizationServerSchema, jwksSchema } from "#contract.ts";
import type { SigningKeys } from "./signing-keys.ts";

const route = routesTagged("keys");

/** Verifiers look again on an unknown key id anyway; a new key is published 15 minutes before its first use. */
const CACHE_SECONDS = 300;
/** Where the console's same-origin proxy serves this API. */
const PROXY_PATH = "/api/identity";

/** What other parts and foreign verifiers need to trust our access tokens. */
export function keyRoutes({ keys, publicUrl }: { readonly keys: SigningKeys; readonly publicUrl: string }) {
  return (server: HttpServer): void => {
    server.get(
      "/.well-known/jwks.json",
      route("public", "The keys that verify access tokens", { response: { 200: jwksSchema } }),
      async (_request, reply) => {
        reply.header("cache-control", `public, max-age=${CACHE_SECONDS}`);
        return { keys: [...(await keys.published())] };
      },
    );

    server.get(
      "/.well-known/oauth-authorization-server",
      route("public", "RFC 8414 metadata", { response: { 200: authorizationServerSchema } }),
      async (_request, reply) => {
        reply.header("cache-control", `public, max-age=${CACHE_SECONDS}`);
        return {
          issuer: publicUrl,
          token_endpoint: `${publicUrl}${PROXY_PATH}/login/access-token`,
          jwks_uri: `${publicUrl}${PROXY_PATH}/.well-known/jwks.json`,
          grant_types_supported: ["password"],
          response_types_supported: [],
          token_endpoint_auth_methods_supported: ["none"],
        };
      },
    );
  };
}
