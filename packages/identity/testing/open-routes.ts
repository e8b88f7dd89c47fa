import { createMailTicket } from "#recovery/mail-ticket.ts";
import { hasApp, hasFactor, hasPasskey, type Bearer } from "./bearers.ts";
import type { CompanyProvider } from "./company-provider.ts";
import { startAt, throughProvider, type Browser } from "./company-sign-in.ts";
import { createSsoAdmin, saveSso, settingsFor } from "./company-tenant.ts";
import { CALLBACK } from "./connect-app.ts";
import { strangersPasskey } from "./guarded-routes.ts";
import type { Row, Sent, Surroundings } from "./route-row.ts";
import { PASSWORD, type IdentityFixture } from "./identity-fixture.ts";
import { partialTokenOf } from "./second-factor.ts";

const done = () => "done";
/** A login is a session more where it needed no second step. */
const opensAtOnce = (bearer: Bearer) => (hasFactor(bearer) ? [] : ["sessions"]);

/**
 * Every route that changes something and takes no access token. It is sent what somebody has who knows the password, holds the cookie
 * of an old session or reads the owner's mail, and has none of the second factors.
 */
export const OPEN: Readonly<Record<string, Row>> = {
  "POST /login/access-token": {
    answers: done,
    changes: opensAtOnce,
    sends: ({ email }) => ({ payload: { email, password: PASSWORD } }),
  },
  "POST /login/verify-2fa": {
    answers: (bearer) => (hasApp(bearer) ? "invalid_code" : "invalid_partial_token"),
    sends: async (bearer, { subject }) => ({
      payload: { partial_token: await partialTokenFor(bearer, subject), code: "AAAA-AAAA-AAAA-AAAA" },
    }),
  },
  "POST /login/verify-2fa/passkey/options": {
    answers: (bearer) => (hasPasskey(bearer) ? "done" : "invalid_partial_token"),
    sends: async (bearer, { subject }) => ({ payload: { partial_token: await partialTokenFor(bearer, subject) } }),
  },
  "POST /login/verify-2fa/passkey": {
    answers: (bearer) => (hasPasskey(bearer) ? "invalid_passkey" : "invalid_partial_token"),
    sends: async (bearer, { subject }) => ({
      payload: { partial_token: await partialTokenFor(bearer, subject), response: strangersPasskey() },
    }),
  },
  "POST /login/passkey/options": { answers: done },
  "POST /login/passkey": { answers: () => "invalid_passkey", sends: () => ({ payload: { response: strangersPasskey() } }) },
  "POST /login/refresh": { answers: done, sends: ({ cookie }) => ({ cookie }) },
  "POST /logout": { answers: done, changes: () => ["sessions"], sends: ({ cookie }) => ({ cookie }) },
  "POST /login/password-reset": { answers: done, sends: ({ email }) => ({ payload: { email } }) },
  "POST /login/password-reset/confirm": { answers: done, changes: () => ["password", "sessions"], sends: openMailedLink },
  "POST /login/sso/start": {
    answers: done,
    sends: async (_bearer, { subject, provider }) => ({ payload: { provider_id: await saveProvider(subject, provider) } }),
  },
  "POST /login/sso": { answers: done, changes: opensAtOnce, sends: comeBackFromProvider },
  "POST /oauth/register": { answers: done, sends: () => ({ payload: { client_name: "App", redirect_uris: [CALLBACK] } }) },
  "POST /oauth/token": { answers: () => "invalid_request" },
  "POST /oauth/revoke": { answers: () => "invalid_request" },
  // A directory's token opens them, and nothing that a person has.
  ...Object.fromEntries(
    ["Users", "Groups"].flatMap((name) =>
      [`POST /scim/v2/${name}`, ...["PUT", "PATCH", "DELETE"].map((method) => `${method} /scim/v2/${name}/:id`)].map((route) => [
        route,
        { answers: () => "401", sends: ({ id }: Bearer) => ({ id, payload: { userName: "eve@example.org", active: false } }) },
      ]),
    ),
  ),
  "POST /api/v1/auth/register": {
    answers: done,
    sends: ({ email }) => ({ payload: { email, password: "nine violet umbrellas", name: "Somebody else" } }),
  },
};

async function partialTokenFor(bearer: Bearer, { server }: IdentityFixture): Promise<string> {
  return hasFactor(bearer) ? partialTokenOf(server, bearer.email) : "A".repeat(43);
}

async function openMailedLink({ id: userId }: Bearer, { subject: { database, clock } }: Surroundings): Promise<Sent> {
  const publicUrl = "http://localhost:3000";
  const link = await database.query
    .transaction()
    .execute((transaction) => createMailTicket(transaction, { userId, purpose: "password_reset", now: clock.now(), publicUrl }));
  return { payload: { token: new URL(link).hash.slice("#token=".length), new_password: "nine violet umbrellas" } };
}

async function saveProvider(subject: IdentityFixture, provider: CompanyProvider): Promise<string> {
  const admin = await createSsoAdmin(subject, `${crypto.randomUUID()}@sightline.example`);
  return saveSso(subject, admin, settingsFor(provider, { domains: ["example.org"], creates_accounts: false }));
}

async function comeBackFromProvider({ id, email }: Bearer, { subject, provider }: Surroundings): Promise<Sent> {
  await provider.tell({ person: { sub: id, claims: { email, email_verified: true, name: "Ada" } } });
  const browser: Browser = { cookie: "" };
  const started = await startAt(subject.server, browser, await saveProvider(subject, provider));
  const query = await throughProvider(started.json<{ continue_to: string }>().continue_to);
  return { cookie: browser.cookie, payload: { query } };
}
