import type { HttpServer } from "@sightline/foundation/http/http-server";
import { routesTagged } from "@sightline/foundation/http/route";
import { jwksSchema } from "#contract.ts";
import type { SigningKeys } from "./signing-keys.ts";

const route = routesTagged("keys");

/** Verifiers look again on an unknown key id anyway; a new key is published 15 minutes before its first use. */
const CACHE_SECONDS = 300;
/** Serves the keys by which other parts and foreign verifiers trust our access tokens. */
export function keyRoutes({ keys }: { readonly keys: SigningKeys }) {
  return (server: HttpServer): void => {
    server.get(
      "/.well-known/jwks.json",
      route("public", "The keys that verify access tokens", { response: { 200: jwksSchema } }),
      async (_request, reply) => {
        reply.header("cache-control", `public, max-age=${CACHE_SECONDS}`);
        return { keys: [...(await keys.published())] };
      },
    );
  };
}
