import * as oidc from "openid-client";
import { AppError } from "@sightline/foundation/errors";
import { parseJson } from "@sightline/foundation/parse-json";
import { toNetwork } from "@sightline/foundation/http/client-network";
import { auditAlone } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import { ONE_LINE, type PartialSession } from "#contract.ts";
import { refusal } from "#refusals.ts";
import { grantLogin, type LoginGrant } from "#session/full-login.ts";
import type { Counter } from "#throttle/throttle.ts";
import { consumeAttempt } from "./attempt.store.ts";
import { asRefusal } from "./failures.ts";
import type { LoginOrigin } from "#factors/kit/second-step.ts";
import { openAccount, type OpeningDependencies } from "./open-account.ts";
import { readPerson, type Claims } from "./person.ts";
import { findProvider, type Provider } from "./provider.store.ts";
import { attemptContext, attemptSchema, hashAttemptToken, ssoRedirectUri, type StartDependencies } from "./start.ts";

export type SignInDependencies = StartDependencies & OpeningDependencies;

/** Each answer may be three requests to the provider. */
function answerCounters(ip: string): readonly Counter[] {
  return [{ name: "sso-answer-network", subject: toNetwork(ip), limit: { tries: 100, windowSeconds: 600 }, forgottenBySuccess: false }];
}

/**
 * Exchanges what the provider sent the browser back with for a full session, or for a partial token where the account has a
 * second factor of its own. What was begun counts once, in the browser that began it.
 *
 * @throws {AppError} 400 `sso_over`, 401 `sso_failed`, 403 with why the person is not let in, 429 `too_many_tries`,
 * 502 `sso_provider_unreachable`.
 */
export async function completeSignIn(
  dependencies: SignInDependencies,
  { query, browser }: { readonly query: string; readonly browser: string | undefined },
  from: LoginOrigin,
): Promise<LoginGrant | PartialSession> {
  await dependencies.throttle.take(answerCounters(from.client.ip));
  const answer = new URLSearchParams(query);
  const { provider, ...checks } = await takeAttempt(dependencies, answer.get("state") ?? "", browser);
  const claims = await readClaims(dependencies, provider, { ...checks, answer }).catch(async (error: unknown) => {
    const { refused, reason } = asRefusal(dependencies, provider, error);
    await recordFailure(dependencies, provider, from.client, { reason });
    throw refused;
  });
  const person = readPerson(provider, claims);
  if (typeof person === "string") {
    await recordFailure(dependencies, provider, from.client, { reason: person });
    throw refusal(person);
  }
  const opened = await openAccount(dependencies, provider, person, from).catch(async (error: unknown) => {
    if (error instanceof AppError) {
      await recordFailure(dependencies, provider, from.client, { reason: error.code, email: person.email });
    }
    throw error;
  });
  return "sessionId" in opened ? grantLogin(dependencies, opened) : opened;
}

/** @throws {AppError} 400 `sso_over`, also when the provider was changed meanwhile. */
async function takeAttempt({ queries, sealer, clock }: SignInDependencies, state: string, browser: string | undefined) {
  const id = hashAttemptToken(state).toString("base64url");
  const attempt =
    browser === undefined ? undefined : await consumeAttempt(queries, { id, browserHash: hashAttemptToken(browser), now: clock.now() });
  const provider = attempt === undefined ? undefined : await findProvider(queries, attempt.providerId);
  if (attempt === undefined || provider === undefined || provider.revision !== attempt.revision) {
    throw refusal("sso_over");
  }
  const payload = sealer.open(attempt.payload, attemptContext(attempt.id)).toString();
  return { provider, ...attemptSchema.parse(parseJson(payload)) };
}

type Checks = ReturnType<typeof attemptSchema.parse> & { readonly answer: URLSearchParams };

/**
 * Exchanges the code, and reads who it is. The library verifies state, issuer (RFC 9207), signature, audience, nonce and times; what the
 * ID token leaves out is asked of the provider's page about the person.
 */
async function readClaims(
  { clients, publicUrl }: SignInDependencies,
  provider: Provider,
  { answer, state, nonce, verifier }: Checks,
): Promise<Claims> {
  const client = await clients.of(provider);
  const cameBackTo = new URL(`${ssoRedirectUri(publicUrl)}?${answer.toString()}`);
  const tokens = await oidc.authorizationCodeGrant(client, cameBackTo, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined || !isSubject(claims.sub)) {
    throw new Error("the provider answered without an ID token, or with one that names nobody");
  }
  const wanted = ["email", "email_verified", "name", provider.roleClaim?.split(".")[0] ?? "email"];
  if (client.serverMetadata().userinfo_endpoint === undefined || wanted.every((name) => claims[name] !== undefined)) {
    return claims;
  }
  return { ...(await oidc.fetchUserInfo(client, tokens.access_token, claims.sub)), ...claims };
}

/** OpenID Connect Core, 2: 255 characters at the most. */
const MAX_SUBJECT = 255;

function isSubject(sub: string): boolean {
  return sub !== "" && sub.length <= MAX_SUBJECT && ONE_LINE.test(sub);
}

type Failure = { readonly reason: string; readonly email?: string };

async function recordFailure(
  { queries, clock }: SignInDependencies,
  { tenantId }: Provider,
  client: Client,
  details: Failure,
): Promise<void> {
  await auditAlone(queries, { event: "sso_login_failed", at: clock.now(), tenantId, client, details });
}
