import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { AllowedHosts } from "@sightline/foundation/outbound/allowed-hosts";
import { parseJson } from "@sightline/foundation/parse-json";
import type { ProviderClients } from "#sso/provider-clients.ts";
import { createProviderFetch, UnreachableProviderError } from "#sso/provider-fetch.ts";

/** How long an issuer's description and keys are taken as they were read. */
const KEPT_MS = 600_000;
/** How soon an issuer is asked again that named no such key, or did not answer. */
const AGAIN_MS = 60_000;
const TIMEOUT_MS = 5_000;
const MAX_ISSUERS = 500;
const keySetSchema = z.looseObject({ keys: z.array(z.unknown()) });

/** The keys of the issuers that tenants name, through the outgoing guard: what it refuses, how large an answer is and how long it takes. */
export function createJobKeys({ clients, allowed }: { readonly clients: ProviderClients; readonly allowed: AllowedHosts }) {
  const fetchKeys = createProviderFetch(allowed);
  const known = new LRUCache<string, { readonly keys: JWTVerifyGetKey } | { readonly problem: unknown }>({
    max: MAX_ISSUERS,
    ttl: KEPT_MS,
    fetchMethod: async (issuer, before, { options }) => {
      try {
        const metadata = (await clients.discover({ issuer, clientId: "sightline", secret: "-" })).serverMetadata();
        let failed: { readonly at: number; readonly problem: unknown } | undefined;
        const keys = createRemoteJWKSet(new URL(metadata.jwks_uri ?? ""), {
          // Else keys that do not come are asked for by each token that names them.
          [customFetch]: async (address, asked) => {
            if (failed !== undefined && Date.now() - failed.at < AGAIN_MS) {
              throw failed.problem;
            }
            try {
              const answer = await fetchKeys(address, { ...asked, headers: Object.fromEntries(asked.headers), body: undefined });
              const given = keySetSchema.parse(answer.ok ? parseJson(await answer.text()) : undefined);
              failed = undefined;
              return Response.json(given);
            } catch (problem) {
              failed = { at: Date.now(), problem };
              throw problem;
            }
          },
          timeoutDuration: TIMEOUT_MS,
          cooldownDuration: AGAIN_MS,
          cacheMaxAge: KEPT_MS,
        });
        return { keys };
      } catch (problem) {
        options.ttl = AGAIN_MS;
        return before ?? { problem };
      }
    },
  });
  /** @throws {UnreachableProviderError} for a minute after the issuer did not say where its keys are. */
  return async (issuer: string): Promise<JWTVerifyGetKey> => {
    const found = await known.fetch(issuer);
    if (found === undefined || !("keys" in found)) {
      throw new UnreachableProviderError("the issuer does not say by which keys it signs", { cause: found?.problem });
    }
    return found.keys;
  };
}
