import { decodeJwt } from "jose";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  accessTokenOf,
  auditOf,
  cookieOf,
  createAccount,
  createIdentityFixture,
  logIn,
  PASSWORD,
  refresh,
  type IdentityFixture,
} from "#testing/identity-fixture.ts";

import { call } from "#testing/second-factor-setup.ts";
import { accessTokenWithCodeOf, codeOf, enableSecondFactor } from "#testing/second-factor.ts";

const NEXT_PASSWORD = "nine violet umbrellas";

let subject: IdentityFixture;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

afterAll(() => subject.close());

function change(token: string, payload: object) {
  return subject.server.inject({ method: "POST", url: "/login/password", headers: { authorization: `Bearer ${token}` }, payload });
}

function me(token: string) {
  return subject.server.inject({ url: "/login/me", headers: { authorization: `Bearer ${token}` } });
}

describe("POST /login/password", () => {
  test("a one-time password opens its own replacement and nothing else", async () => {
    const { oneTimePassword = "" } = await subject.identity.createAdmin({ email: "new@example.org", name: "New", tenantName: "default" });
    const login = await logIn(subject.server, "new@example.org", oneTimePassword);
    const limited = login.json<{ access_token: string }>().access_token;

    expect(decodeJwt(limited).aud).toBe("sightline-password-change");
    expect((await me(limited)).json()).toMatchObject({ must_change_password: true });
    const refreshed = (await refresh(subject.server, cookieOf(login))).json<{ access_token: string }>().access_token;
    expect(decodeJwt(refreshed).aud).toBe("sightline-password-change");

    const changed = await change(limited, { current_password: oneTimePassword, new_password: NEXT_PASSWORD });

    expect(changed.statusCode).toBe(200);
    const full = changed.json<{ access_token: string }>().access_token;
    expect(decodeJwt(full)).toMatchObject({ aud: "sightline", epoch: 2 });
    expect((await me(full)).json()).toMatchObject({ must_change_password: false });
    expect((await logIn(subject.server, "new@example.org", oneTimePassword)).statusCode).toBe(401);
    expect((await logIn(subject.server, "new@example.org", NEXT_PASSWORD)).statusCode).toBe(200);
  });

  test("with a second factor asks for password and code when they were shown more than ten minutes ago", async () => {
    const email = "two@example.org";
    await createAccount(subject.identity, email);
    const { secret } = await enableSecondFactor(subject, email);
    const token = await accessTokenWithCodeOf(subject, email, secret);
    const body = { current_password: PASSWORD, new_password: NEXT_PASSWORD };
    subject.clock.forward(601);

    const refused = await change(token, body);
    const code = codeOf(secret, subject.clock);
    const stepUp = await call(subject.server, token, "/step-up", { password: PASSWORD, code });

    expect([refused.statusCode, refused.json()]).toMatchObject([403, { error: "step_up_required" }]);
    expect(stepUp.statusCode).toBe(200);
    expect((await change(token, body)).statusCode).toBe(200);
  });

  test("makes a second factor that was shown nine minutes ago no younger", async () => {
    const email = "nine@example.org";
    await createAccount(subject.identity, email);
    const { secret } = await enableSecondFactor(subject, email);
    const token = await accessTokenWithCodeOf(subject, email, secret);
    subject.clock.forward(540);
    const changed = await change(token, { current_password: PASSWORD, new_password: NEXT_PASSWORD });
    subject.clock.forward(61);

    const again = await change(changed.json<{ access_token: string }>().access_token, {
      current_password: NEXT_PASSWORD,
      new_password: PASSWORD,
    });
    expect([again.statusCode, again.json()]).toMatchObject([403, { error: "step_up_required" }]);
  });

  test("with a one-time password and a second factor the code can be shown again too", async () => {
    const email = "three@example.org";
    await createAccount(subject.identity, email);
    const { secret } = await enableSecondFactor(subject, email);
    await subject.database.query.updateTable("identity.users").set({ must_change_password: true }).where("email", "=", email).execute();
    const token = await accessTokenWithCodeOf(subject, email, secret);
    subject.clock.forward(601);
    const body = { current_password: PASSWORD, new_password: NEXT_PASSWORD };

    expect((await change(token, body)).json()).toMatchObject({ error: "step_up_required" });
    await call(subject.server, token, "/step-up", { password: PASSWORD, code: codeOf(secret, subject.clock) });
    expect((await change(token, body)).statusCode).toBe(200);
  });

  test("every session from before ends, and the answer is a new one", async () => {
    await createAccount(subject.identity, "ada@example.org");
    const elsewhere = await logIn(subject.server, "ada@example.org");
    const token = await accessTokenOf(subject.server, "ada@example.org");

    const changed = await change(token, { current_password: PASSWORD, new_password: NEXT_PASSWORD });

    expect(changed.statusCode).toBe(200);
    expect((await me(token)).statusCode).toBe(401);
    expect((await me(elsewhere.json<{ access_token: string }>().access_token)).statusCode).toBe(401);
    expect((await refresh(subject.server, cookieOf(elsewhere))).statusCode).toBe(401);
    expect((await refresh(subject.server, cookieOf(changed))).statusCode).toBe(200);
    expect((await auditOf(subject)).slice(-3)).toEqual(["user_password_changed", "session_revoked", "session_revoked"]);
  });

  test.each([
    {
      wrong: "a wrong current password",
      body: { current_password: "not it at all", new_password: NEXT_PASSWORD },
      status: 403,
      error: "wrong_password",
    },
    {
      wrong: "the same password again",
      body: { current_password: PASSWORD, new_password: PASSWORD },
      status: 400,
      error: "password_unchanged",
    },
    {
      wrong: "a common password",
      body: { current_password: PASSWORD, new_password: "Password123456" },
      status: 400,
      error: "password_too_common",
    },
    { wrong: "11 characters", body: { current_password: PASSWORD, new_password: "elevenchars" }, status: 400, error: "invalid_request" },
    {
      wrong: "257 characters",
      body: { current_password: PASSWORD, new_password: "ab".repeat(128) + "c" },
      status: 400,
      error: "invalid_request",
    },
  ])("$wrong changes nothing", async ({ body, status, error }) => {
    const email = `${error}-${body.new_password.length}@example.org`;
    await createAccount(subject.identity, email);
    const token = await accessTokenOf(subject.server, email);

    const answer = await change(token, body);

    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ error });
    expect((await me(token)).statusCode).toBe(200);
    expect((await logIn(subject.server, email)).statusCode).toBe(200);
  });

  test("of many changes at once one is made", needsRealPostgres, async () => {
    await createAccount(subject.identity, "busy@example.org");
    const token = await accessTokenOf(subject.server, "busy@example.org");

    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, index) => change(token, { current_password: PASSWORD, new_password: `${NEXT_PASSWORD} ${index}` })),
    );

    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    // A late one finds its session ended, or the password another one.
    expect(answers.filter(({ statusCode }) => statusCode === 401 || statusCode === 403)).toHaveLength(3);
  });

  test("a stolen access token does not allow to guess the password without end", async () => {
    await createAccount(subject.identity, "stolen@example.org");
    const token = await accessTokenOf(subject.server, "stolen@example.org");

    const statuses: number[] = [];
    for (let round = 0; round < 6; round++) {
      statuses.push((await change(token, { current_password: `guess number ${round}`, new_password: NEXT_PASSWORD })).statusCode);
    }

    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
  });
});
