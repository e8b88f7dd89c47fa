import { randomBytes } from "node:crypto";
import * as oidc from "openid-client";
import { z } from "zod";
import type { Caller } from "#audit/client.ts";
import type { SsoTest, TestSsoRequest } from "#contract.ts";
import type { Sealer } from "#keys/sealed-values.ts";
import { refusal } from "#refusals.ts";
import type { Queries } from "#schema.ts";
import { toFailureReason } from "./failures.ts";
import { secretContext, type ProviderClients } from "./provider-clients.ts";
import { findProviderOf } from "./provider.store.ts";
import { ssoRedirectUri } from "./start.ts";

type Dependencies = {
  readonly queries: Queries;
  readonly sealer: Sealer;
  readonly clients: ProviderClients;
  readonly publicUrl: string;
};

type Check = SsoTest["checks"][number];

const keysSchema = z.object({ keys: z.array(z.object({ kty: z.string() })).min(1) });

/**
 * Looks for what a sign-in would stumble over, without anybody signing in. Whether the client's secret is right shows by a made-up
 * code: a provider refuses the client before it looks at the code.
 *
 * @throws {AppError} 400 `sso_secret_needed`.
 */
export async function testSso(dependencies: Dependencies, { tenantId }: Caller, request: TestSsoRequest): Promise<SsoTest> {
  const { queries, clients, sealer } = dependencies;
  const { issuer, client_id: clientId } = request;
  const stored = await findProviderOf(queries, tenantId);
  const isSameClient = stored?.issuer === issuer && stored.clientId === clientId;
  const secret =
    request.client_secret ?? (isSameClient ? sealer.open(stored.sealedSecret, secretContext(stored.id)).toString() : undefined);
  if (secret === undefined) {
    throw refusal("sso_secret_needed");
  }
  let client: oidc.Configuration;
  try {
    client = await clients.discover({ issuer, clientId, secret });
  } catch (error) {
    return { checks: [failed("Provider", DISCOVERY[toFailureReason(error)] ?? "What is at this address is no OpenID Connect provider.")] };
  }
  return {
    checks: [
      passed("Provider", "It answers, and is the one that it says."),
      describeEndpoints(client.serverMetadata()),
      describePkce(client.serverMetadata()),
      await lookForKeys(client),
      await tryClient(client, ssoRedirectUri(dependencies.publicUrl)),
    ],
  };
}

const ELSEWHERE =
  "It sends on to another address, which is not followed. Take the issuer from the provider's own description, letter by letter.";

const DISCOVERY: Readonly<Record<string, string>> = {
  private_address: "Its address is in a private network. The operator of Sightline allows it with IDENTITY_ALLOW_PRIVATE_HOSTS.",
  without_tls: "It is asked without TLS. Write https://, or have the operator of Sightline name it in IDENTITY_ALLOW_PRIVATE_HOSTS.",
  certificate:
    "Its certificate is not believed: it is for another name, over, or of an authority of your own, which the operator of Sightline names in NODE_EXTRA_CA_CERTS.",
  unreachable: "It does not answer. Check the address, and whether Sightline may reach it.",
  other_issuer: "It calls itself by another address. Take the issuer from the provider's own description, letter by letter.",
  json_attribute_comparison_failed:
    "It calls itself by another address. Take the issuer from the provider's own description, letter by letter.",
  ...Object.fromEntries([301, 302, 303, 307, 308].map((status) => [`status_${status}`, ELSEWHERE])),
  status_404: "There is no description below this address (/.well-known/openid-configuration). Check the issuer.",
};

function describeEndpoints({
  authorization_endpoint: page,
  token_endpoint: tokens,
  response_types_supported: types,
}: oidc.ServerMetadata): Check {
  const isCode = types === undefined || types.includes("code");
  return page !== undefined && /^https?:/i.test(page) && tokens !== undefined && isCode
    ? passed("Sign-in by code", "It has a page to sign in at, and exchanges codes.")
    : failed("Sign-in by code", "It offers no authorization code flow. Allow that for this client.");
}

function describePkce({ code_challenge_methods_supported: methods }: oidc.ServerMetadata): Check {
  if (methods === undefined) {
    return passed("PKCE", "It does not say whether it knows PKCE. It is asked for anyway.");
  }
  return methods.includes("S256") ? passed("PKCE", "It knows S256.") : failed("PKCE", "It knows no S256, so a stolen code could be used.");
}

async function lookForKeys(client: oidc.Configuration): Promise<Check> {
  const address = client.serverMetadata().jwks_uri;
  try {
    const answer = await client[oidc.customFetch]?.(address ?? "", { method: "GET", headers: {}, body: undefined, redirect: "manual" });
    keysSchema.parse(await answer?.json());
    return passed("Keys", "Its signing keys are published.");
  } catch {
    // Whatever is wrong there, signatures can't be verified.
    return failed("Keys", "Its signing keys can't be read, so nothing that it says can be verified.");
  }
}

async function tryClient(client: oidc.Configuration, redirectUri: string): Promise<Check> {
  const madeUp = { code: randomBytes(16).toString("hex"), redirect_uri: redirectUri, code_verifier: oidc.randomPKCECodeVerifier() };
  try {
    await oidc.genericGrantRequest(client, "authorization_code", madeUp);
  } catch (error) {
    const reason = toFailureReason(error);
    if (reason === "invalid_grant") {
      return passed("Client ID and secret", "The provider knows them.");
    }
    if (["invalid_client", "unauthorized_client", "status_401"].includes(reason)) {
      return failed("Client ID and secret", "The provider does not accept them. Copy both once more; a secret may have expired.");
    }
  }
  return failed("Client ID and secret", "The provider does not say whether they are right. Sign in once to see.");
}

function passed(name: string, message: string): Check {
  return { name, ok: true, message };
}

function failed(name: string, message: string): Check {
  return { name, ok: false, message };
}
