import { registerApp, askFor, questionOf, ALL } from "./connect-app.ts";
import type { PasskeyCreation } from "#contract.ts";
import { issueChallenge } from "#factors/passkey/challenges.ts";
import { toUserHandle } from "#factors/passkey/relying-party.ts";
import { createSetupTickets } from "#factors/totp/setup-ticket.ts";
import { makeTotpSecret } from "#factors/totp/totp-code.ts";
import { v7 as uuidv7 } from "uuid";
import { hasApp, hasFactor, hasPasskey, type Bearer } from "./bearers.ts";
import type { Row, Sent, Surroundings } from "./route-row.ts";
import type { CompanyProvider } from "./company-provider.ts";
import { settingsFor } from "./company-tenant.ts";
import { PASSWORD } from "./identity-fixture.ts";
import { ringUnderTest } from "./second-factor-setup.ts";
import { codeOf } from "./second-factor.ts";
import { answerOf, makePasskey } from "./software-authenticator.ts";

const NOBODY = "00000000-0000-4000-8000-000000000000";
const NEXT_PASSWORD = "nine violet umbrellas";

/** @returns what is answered to whoever has shown that. */
type Demand = (then?: Row["answers"]) => Row["answers"];

const done = () => "done";
const session: Demand = (then = done) => then;
const recentLogin: Demand =
  (then = done) =>
  (bearer) =>
    bearer.proof === "an old session" ? "step_up_required" : then(bearer);
/** The rule: an account that has a second factor asks for one of them. */
const oneOfItsFactors: Demand =
  (then = done) =>
  (bearer) =>
    hasFactor(bearer) ? recentLogin(then)(bearer) : then(bearer);
const stepUp: Demand =
  (then = done) =>
  (bearer) =>
    bearer.proof === "a stepped-up session" ? then(bearer) : "step_up_required";
/** A step-up, by an admin who has a second factor. */
const stepUpWithFactor: Demand = (then = done) => stepUp((bearer) => (hasFactor(bearer) ? then(bearer) : "second_factor_needed"));

const itsPasskey: Row["answers"] = (bearer) => (hasPasskey(bearer) ? "done" : "unknown_passkey");
const itsApp: Row["answers"] = (bearer) => (hasApp(bearer) ? "done" : "not_enabled");
const passwordAndCode = async ({ code }: Bearer): Promise<Sent> => ({ payload: { password: PASSWORD, code: await code() } });
const ofAnother =
  (payload?: object) =>
  (_bearer: Bearer, { owner: { id } }: Surroundings) => ({
    id,
    ...(payload === undefined ? {} : { payload }),
  });

/** Every route that changes something and takes an access token. */
export const GUARDED: Readonly<Record<string, Row>> = {
  "POST /admin/2fa/setup": {
    answers: (bearer) => (hasApp(bearer) ? "already_enabled" : oneOfItsFactors()(bearer)),
    sends: () => ({ payload: { password: PASSWORD } }),
  },
  // With the ticket of a set-up that this session began by the password alone, before the account had a factor.
  "POST /admin/2fa/verify-setup": {
    answers: (bearer) => (hasApp(bearer) ? "already_enabled" : hasPasskey(bearer) ? "setup_invalid" : "done"),
    changes: () => ["factors", "sessions"],
    sends: finishEarlySetup,
  },
  "POST /admin/2fa/replace": { answers: session(itsApp), sends: passwordAndCode },
  "POST /admin/2fa/backup-codes": { answers: session(itsApp), changes: () => ["factors"], sends: passwordAndCode },
  "POST /admin/2fa/disable": { answers: session(itsApp), changes: () => ["factors", "sessions"], sends: passwordAndCode },
  "POST /login/password": {
    answers: oneOfItsFactors(),
    changes: () => ["password", "sessions"],
    sends: () => ({ payload: { current_password: PASSWORD, new_password: NEXT_PASSWORD } }),
  },
  "POST /login/passkeys/options": { answers: recentLogin() },
  "POST /login/passkeys": {
    answers: recentLogin(),
    changes: (bearer) => (hasPasskey(bearer) ? ["factors"] : ["factors", "sessions"]),
    sends: registerPasskey,
  },
  "PATCH /login/passkeys/:id": {
    answers: recentLogin(itsPasskey),
    changes: () => ["factors"],
    sends: ({ passkey }) => ({ id: passkey?.id ?? NOBODY, payload: { name: "Renamed" } }),
  },
  "DELETE /login/passkeys/:id": {
    answers: stepUp(itsPasskey),
    changes: () => ["factors", "sessions"],
    sends: ({ passkey }) => ({ id: passkey?.id ?? NOBODY }),
  },
  // A step-up by less than the account has.
  "POST /step-up": {
    answers: (bearer) => (hasApp(bearer) ? "code_required" : hasPasskey(bearer) ? "passkey_required" : "done"),
    changes: (bearer) => (bearer.proof === "a stepped-up session" ? [] : ["sessions"]),
    sends: () => ({ payload: { password: PASSWORD } }),
  },
  "POST /step-up/passkey/options": { answers: session(itsPasskey) },
  // With a passkey that is nobody's.
  "POST /step-up/passkey": { answers: () => "invalid_passkey", sends: () => ({ payload: { response: strangersPasskey() } }) },
  // Ending takes nothing but a session, so that whoever lost their factor with the device can still end what is open on it.
  "DELETE /login/sessions/:id": { answers: session(), changes: () => ["sessions"], sends: ({ sessionId }) => ({ id: sessionId }) },
  "DELETE /login/sessions": { answers: session(), changes: () => ["sessions"] },
  "DELETE /login/connections/:id": { answers: () => "connection_not_found", sends: () => ({ id: NOBODY }) },
  "POST /oauth/interactions/:uid/consent": { answers: recentLogin(), changes: () => ["grants"], sends: letAppIn },
  "POST /login/notices/:id/read": { answers: () => "not_found", sends: () => ({ id: NOBODY }) },
  "POST /people/find": { answers: session(), sends: ({ id }) => ({ payload: { ids: [id] } }) },
  "POST /admin/users": { answers: stepUp(), sends: () => ({ payload: { email: `${uuidv7()}@example.org`, name: "Mem" } }) },
  "PATCH /admin/users/:id": {
    answers: stepUp(),
    changes: () => ["password", "sessions"],
    isOnAnother: true,
    sends: ofAnother({ must_change_password: true }),
  },
  "DELETE /admin/users/:id": {
    answers: stepUpWithFactor(),
    changes: () => ["password", "factors", "sessions"],
    isOnAnother: true,
    sends: ofAnother(),
  },
  "POST /admin/users/:id/password-reset": {
    answers: stepUp(),
    changes: () => ["password", "sessions"],
    isOnAnother: true,
    sends: ofAnother({ mail: false }),
  },
  "POST /admin/users/:id/2fa/reset": {
    answers: stepUpWithFactor(),
    changes: () => ["factors", "sessions"],
    isOnAnother: true,
    sends: ofAnother({ reason: "lost phone" }),
  },
  "DELETE /admin/users/:id/waiting": { answers: stepUp(() => "nothing_waiting"), isOnAnother: true, sends: ofAnother() },
  "POST /admin/users/:id/2fa/unlock": { answers: stepUpWithFactor(), isOnAnother: true, sends: ofAnother() },
  "PUT /admin/policy": { answers: stepUpWithFactor(), sends: () => ({ payload: { resets_need_two: false } }) },
  // A login by a provider is still asked for the account's own factor: POST /login/sso, among the open routes.
  "PUT /admin/sso": { answers: stepUpWithFactor(), sends: (_bearer, { provider }) => ({ payload: settingsFor(provider) }) },
  "POST /admin/sso/test": { answers: stepUp(), sends: (_bearer, { provider }) => ({ payload: clientOf(provider) }) },
  "POST /admin/sso/domains/verify": {
    answers: stepUp(() => "sso_domain_unknown"),
    sends: () => ({ payload: { domain: "unlisted.example.org" } }),
  },
  "POST /admin/scim/token": { answers: stepUpWithFactor() },
  "PUT /admin/rights/:kind/:id": {
    answers: stepUpWithFactor(),
    sends: () => ({ path: { kind: "repository", id: NOBODY }, payload: { groups: null } }),
  },
  "DELETE /admin/scim/token": { answers: stepUpWithFactor() },
  "POST /admin/workloads": {
    answers: stepUpWithFactor(),
    sends: (_bearer, { provider: { issuer } }) => ({
      payload: { issuer, subject: "repo:acme/shop:*", repository_id: NOBODY, scopes: ["scip"] },
    }),
  },
  "DELETE /admin/workloads/:id": { answers: stepUpWithFactor(() => "unknown_workload"), sends: () => ({ id: NOBODY }) },
  "DELETE /admin/sso": { answers: stepUpWithFactor(() => "sso_not_configured") },
};

function clientOf({ issuer, clients }: CompanyProvider) {
  return { issuer, client_id: clients[0]?.id, client_secret: clients[0]?.secret };
}

function finishEarlySetup({ id: userId, sessionId }: Bearer, { subject: { clock } }: Surroundings): Sent {
  const secret = makeTotpSecret();
  const ticket = { id: uuidv7(), userId, sessionId, epoch: 1, factors: [], secret, replaces: undefined };
  const tickets = createSetupTickets({ sealer: ringUnderTest(), clock });
  const token = tickets.seal({ ...ticket, expiresAt: new Date(clock.now().getTime() + 600_000) });
  return { payload: { code: codeOf(secret, clock), setup_token: token } };
}

async function registerPasskey({ id: userId, sessionId }: Bearer, { subject: { database, clock } }: Surroundings): Promise<Sent> {
  const challenge = await issueChallenge({ queries: database.query, clock }, { purpose: "register", userId, sessionId });
  const { response } = makePasskey(creationFor(userId, Buffer.from(challenge).toString("base64url")));
  return { payload: { name: "Another", response } };
}

async function letAppIn(_bearer: Bearer, { subject: { server } }: Surroundings): Promise<Sent> {
  const { uid, cookie } = questionOf(await askFor(server, await registerApp(server)));
  return { id: uid, cookie, payload: ALL };
}

/** The answer of a passkey that no account has. */
export function strangersPasskey() {
  const challenge = Buffer.alloc(32).toString("base64url");
  const { passkey } = makePasskey(creationFor(NOBODY, challenge));
  return answerOf(passkey, { challenge, rpId: "localhost", timeout: 1, userVerification: "required" });
}

function creationFor(userId: string, challenge: string): PasskeyCreation {
  return {
    challenge,
    rp: { id: "localhost", name: "Sightline" },
    user: { id: Buffer.from(toUserHandle(userId)).toString("base64url"), name: "ada", displayName: "Ada" },
    pubKeyCredParams: [{ alg: -7, type: "public-key" }],
    timeout: 1,
    excludeCredentials: [],
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  };
}
