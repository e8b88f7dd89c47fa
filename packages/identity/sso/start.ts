import { createHash, randomBytes } from "node:crypto";
import * as oidc from "openid-client";
import { z } from "zod";
import type { Clock } from "@sightline/foundation/clock";
import { orRefuse } from "@sightline/foundation/errors";
import { toNetwork } from "@sightline/foundation/http/client-network";
import type { Logger } from "@sightline/foundation/log";
import type { Client } from "#audit/client.ts";
import type { Sealer } from "#keys/sealed-values.ts";
import { refusal } from "#refusals.ts";
import type { Queries } from "#schema.ts";
import type { Counter, Throttle } from "#throttle/throttle.ts";
import { insertAttempt } from "./attempt.store.ts";
import { asRefusal } from "./failures.ts";
import type { ProviderClients } from "./provider-clients.ts";
import { findProvider, type Provider } from "./provider.store.ts";

export type StartDependencies = {
  readonly queries: Queries;
  readonly clients: ProviderClients;
  readonly sealer: Sealer;
  readonly throttle: Throttle;
  readonly publicUrl: string;
  readonly log: Logger;
  readonly clock: Clock;
};

/** The values that the provider's answer is checked against; kept sealed until it comes. */
export const attemptSchema = z.object({ nonce: z.string(), verifier: z.string(), state: z.string() });

export const ATTEMPT_SECONDS = 600;
const COOKIE_BYTES = 32;

export const attemptContext = (id: string) => ({ purpose: "sso_attempts.payload", subject: id });

/** The hash is all that is stored of what a browser holds, and of what the provider is told. */
export function hashAttemptToken(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The page of the console that a provider sends browsers back to: one address for all tenants. */
export function ssoRedirectUri(publicUrl: string): string {
  return `${publicUrl}/login/sso`;
}

/** Each start is a row until it is answered, and may be a request to the provider. */
function startCounters(ip: string): readonly Counter[] {
  return [{ name: "sso-start-network", subject: toNetwork(ip), limit: { tries: 100, windowSeconds: 600 }, forgottenBySuccess: false }];
}

/**
 * Begins a sign-in in this browser.
 *
 * @returns where the browser is sent, and what its cookie holds until it comes back.
 * @throws {AppError} 401 `sso_failed`, 404 `sso_unknown_provider` (also while no domain of it is proven), 429 `too_many_tries`, 502 `sso_provider_unreachable`.
 */
export async function startSignIn(dependencies: StartDependencies, providerId: string, { ip }: Client) {
  const { queries, clients, sealer, throttle, publicUrl, clock } = dependencies;
  await throttle.take(startCounters(ip));
  const provider = orRefuse(await findProvider(queries, providerId), () => refusal("sso_unknown_provider"));
  if (provider.provenDomains.length === 0) {
    throw refusal("sso_unknown_provider");
  }
  const client = await clients.of(provider).catch((error: unknown) => {
    throw asRefusal(dependencies, provider, error).refused;
  });
  const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
  const address = addressAt(dependencies, provider, client, {
    redirect_uri: ssoRedirectUri(publicUrl),
    scope: ["openid", ...provider.scopes.filter((scope) => scope !== "openid")].join(" "),
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const browser = randomBytes(COOKIE_BYTES).toString("base64url");
  const id = hashAttemptToken(state).toString("base64url");
  await insertAttempt(queries, {
    id,
    browser_hash: hashAttemptToken(browser),
    provider_id: provider.id,
    revision: provider.revision,
    payload: sealer.seal(Buffer.from(JSON.stringify({ nonce, verifier, state })), attemptContext(id)),
    expires_at: new Date(clock.now().getTime() + ATTEMPT_SECONDS * 1000),
  });
  return { continueTo: address.href, browser };
}

/** @throws {AppError} 401 `sso_failed` where the provider has no page, or none of the web, such as `javascript:…`. */
function addressAt(
  dependencies: StartDependencies,
  provider: Provider,
  client: oidc.Configuration,
  parameters: Record<string, string>,
): URL {
  try {
    return oidc.buildAuthorizationUrl(client, parameters);
  } catch (error) {
    throw asRefusal(dependencies, provider, error).refused;
  }
}
