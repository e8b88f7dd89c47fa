import { LRUCache } from "lru-cache";
import * as oidc from "openid-client";
import type { Clock } from "@sightline/foundation/clock";
import type { AllowedHosts } from "@sightline/foundation/outbound/allowed-hosts";
import type { Sealer } from "#keys/sealed-values.ts";
import { createProviderFetch } from "./provider-fetch.ts";
import type { Provider } from "./provider.store.ts";

/** How long a provider's description is taken as it was read; its keys are looked for anew when an unknown one signs. */
const KEPT_MS = 300_000;
const MAX_KEPT = 200;
const TIMEOUT_SECONDS = 10;

export type Client = { readonly issuer: string; readonly clientId: string; readonly secret: string };

/** The provider at the address of the issuer calls itself by another. */
export class OtherProviderError extends Error {
  override readonly name = "OtherProviderError";
}

export type ProviderClients = ReturnType<typeof createProviderClients>;

export const secretContext = (providerId: string) => ({ purpose: "sso_providers.client_secret", subject: providerId });

/** The library's client of each provider, made from the description that the provider publishes. */
export function createProviderClients({ sealer, clock, allowed }: { sealer: Sealer; clock: Clock; allowed: AllowedHosts }) {
  const fetchFromProvider = createProviderFetch(allowed);
  const kept = new LRUCache<string, oidc.Configuration>({
    max: MAX_KEPT,
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: { now: () => clock.now().getTime() },
  });

  /** @throws {Error} when there is no provider at the address, or it is another than it says. */
  async function discover({ issuer, clientId, secret }: Client): Promise<oidc.Configuration> {
    const [basic, inBody] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
    const authenticate: oidc.ClientAuth = (server, ...request) =>
      (server.token_endpoint_auth_methods_supported?.includes("client_secret_basic") === false ? inBody : basic)(server, ...request);
    const client = await oidc.discovery(new URL(issuer), clientId, undefined, authenticate, {
      [oidc.customFetch]: fetchFromProvider,
      timeout: TIMEOUT_SECONDS,
      // Which addresses may go without TLS is decided where they are fetched. Signatures are verified even so.
      execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks],
    });
    // The library takes an issuer that stands for all directories of a cloud, of which anybody can make one.
    if (new URL(client.serverMetadata().issuer).href !== new URL(issuer).href) {
      throw new OtherProviderError("the provider is another than it was asked for");
    }
    return client;
  }

  return {
    discover,
    of: async (provider: Provider): Promise<oidc.Configuration> => {
      const key = `${provider.id}.${provider.revision}`;
      const found = kept.get(key);
      if (found !== undefined) {
        return found;
      }
      const secret = sealer.open(provider.sealedSecret, secretContext(provider.id)).toString();
      const client = await discover({ issuer: provider.issuer, clientId: provider.clientId, secret });
      kept.set(key, client);
      return client;
    },
  };
}
