import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  cookieOf,
  createAccount,
  createIdentityFixture,
  logIn,
  PASSWORD,
  refresh,
  type IdentityFixture,
} from "#testing/identity-fixture.ts";
import { codeOf, enableSecondFactor, partialTokenOf, verifyCode, wrongCodeOf, type EnabledSecondFactor } from "#testing/second-factor.ts";

let subject: IdentityFixture;
let ada: EnabledSecondFactor;
let email: string;
/** Each test has an address of its own, since failures are counted by it. */
let ip: string;
let count = 0;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

afterAll(() => subject.close());

beforeEach(async () => {
  count++;
  email = `ada-${count}@example.org`;
  ip = `198.51.100.${count}`;
  await createAccount(subject.identity, email);
  ada = await enableSecondFactor(subject, email);
});

const code = (seconds = 0) => codeOf(ada.secret, subject.clock, seconds);
const wrongCode = () => wrongCodeOf(ada.secret, subject.clock);
const firstStep = () => partialTokenOf(subject.server, email, PASSWORD, ip);
const secondStep = (token: string, typed: string) => verifyCode(subject.server, token, typed, ip);
const query = () => subject.database.query;
const sessions = () => query().selectFrom("identity.sessions").selectAll().where("user_id", "=", ada.userId).execute();
const partialTokens = () => query().selectFrom("identity.partial_tokens").selectAll().where("user_id", "=", ada.userId).execute();
const notices = () => query().selectFrom("identity.notices").select(["kind", "details"]).where("user_id", "=", ada.userId).execute();
const user = () => query().selectFrom("identity.users").selectAll().where("id", "=", ada.userId).executeTakeFirstOrThrow();
const change = (columns: { readonly disabled_at: Date } | { readonly must_change_password: boolean }) =>
  query().updateTable("identity.users").set(columns).where("id", "=", ada.userId).execute();
const auditRows = () => query().selectFrom("identity.audit").select("event").where("user_id", "=", ada.userId).orderBy("id").execute();
const audit = async () => (await auditRows()).map(({ event }) => event);

describe("the first step", () => {
  test("gives a partial token and nothing else: no cookie, no session", async () => {
    const answer = await logIn(subject.server, email, PASSWORD, ip);

    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ two_factor_required: true, partial_token: expect.stringMatching(/^[\w-]{43}$/), expires_in: 300 });
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.cookies).toEqual([]);
    expect(await sessions()).toEqual([]);
    expect((await user()).last_login_at).toBeNull();
  });

  test("stores the hash of the token alone", async () => {
    const token = await firstStep();

    expect(JSON.stringify(await partialTokens())).not.toContain(token);
  });

  test("a wrong password gives none", async () => {
    const answer = await logIn(subject.server, email, "not the password", ip);

    expect(answer.statusCode).toBe(401);
    expect(await partialTokens()).toEqual([]);
  });

  test("of four partial tokens the newest three live", async () => {
    const tokens: string[] = [];
    for (let round = 0; round < 4; round++) {
      tokens.push(await firstStep());
      subject.clock.forward(1);
    }
    const [oldest = "", ...others] = tokens;

    expect((await secondStep(oldest, code())).json()).toMatchObject({ error: "invalid_partial_token" });
    for (const token of others) {
      expect((await secondStep(token, code())).statusCode).toBe(200);
      subject.clock.forward(30);
    }
  });

  test("the partial token opens no route by itself", async () => {
    const token = await firstStep();

    const me = await subject.server.inject({ url: "/login/me", headers: { authorization: `Bearer ${token}` } });
    expect(me.statusCode).toBe(401);
    expect((await refresh(subject.server, `__Host-sightline_refresh=${token}`)).statusCode).toBe(401);
  });
});

describe("the second step", () => {
  test("partial token and code give a full session", async () => {
    const token = await firstStep();
    const shown = subject.clock.now();
    subject.clock.forward(20);
    const answer = await secondStep(token, code());

    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      token_type: "bearer",
      access_token: expect.any(String),
      expires_in: 3600,
      method: "totp",
      backup_codes_remaining: 10,
    });
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(decodeJwt(answer.json<{ access_token: string }>().access_token)).toMatchObject({
      amr: ["pwd", "otp", "mfa"],
      auth_time: shown.getTime() / 1000,
      aud: "sightline",
    });
    expect((await refresh(subject.server, cookieOf(answer))).statusCode).toBe(200);
    expect(await audit()).toEqual(["user_created", "login_ok", "2fa_login_ok"]);
    const step = Math.floor(subject.clock.now().getTime() / 30_000);
    expect(await user()).toMatchObject({
      last_login_at: subject.clock.now(),
      totp_last_step: step,
      totp_last_used_at: new Date(step * 30_000),
    });
    expect(await partialTokens()).toEqual([]);
  });

  test("a backup code in any writing does, once, and its owner is told", async () => {
    const [backupCode = ""] = ada.backupCodes;

    const answer = await secondStep(await firstStep(), ` ${backupCode.toLowerCase().replaceAll("-", " ").replaceAll("0", "o")} `);

    expect(answer.json()).toMatchObject({ method: "backup_code", backup_codes_remaining: 9 });
    expect(decodeJwt(answer.json<{ access_token: string }>().access_token)).toMatchObject({ amr: ["pwd", "backup", "mfa"] });
    expect((await user()).totp_backup_codes).toHaveLength(9);
    expect((await user()).totp_last_used_at).toBeNull();
    expect(await audit()).toEqual(["user_created", "login_ok", "backup_code_used", "2fa_login_ok"]);
    expect(await notices()).toEqual([{ kind: "backup_code_used", details: { remaining: "9", ip } }]);
    const again = await secondStep(await firstStep(), backupCode);
    expect(again.statusCode).toBe(401);
    expect(again.json()).toMatchObject({ error: "invalid_code" });
  });

  test("codes of one step before and after are good, of two are not", async () => {
    for (const seconds of [-60, 60]) {
      expect((await secondStep(await firstStep(), code(seconds))).json()).toMatchObject({ error: "invalid_code" });
    }
    for (const seconds of [-30, 0, 30]) {
      expect((await secondStep(await firstStep(), code(seconds))).statusCode).toBe(200);
    }
  });

  test("with TOTP_WINDOW=0 the present step alone is good", async () => {
    const { server } = await subject.replica({ environment: { TOTP_WINDOW: "0" } });
    const token = await firstStep();

    expect((await verifyCode(server, token, code(-30))).statusCode).toBe(401);
    expect((await verifyCode(server, token, code(30))).statusCode).toBe(401);
    expect((await verifyCode(server, token, code())).statusCode).toBe(200);
  });

  test("spaces, hyphens and full-width digits in the code do not matter", async () => {
    const typed = code();
    const fullWidth = Array.from(code(30), (digit) => String.fromCodePoint(0xff10 + Number(digit))).join("");

    expect((await secondStep(await firstStep(), ` ${typed.slice(0, 3)} ${typed.slice(3)}`)).statusCode).toBe(200);
    expect((await secondStep(await firstStep(), fullWidth)).statusCode).toBe(200);
  });

  test("a code is good once, and none of an earlier step after it", async () => {
    const earlier = code(-30);
    await secondStep(await firstStep(), code());

    for (const typed of [code(), earlier]) {
      const answer = await secondStep(await firstStep(), typed);
      expect(answer.statusCode).toBe(401);
      expect(answer.json()).toMatchObject({ error: "invalid_code" });
    }
    expect((await audit()).slice(-4)).toEqual(["2fa_code_replayed", "2fa_login_failed", "2fa_code_replayed", "2fa_login_failed"]);
    expect(await sessions()).toHaveLength(1);
  });

  test("a partial token is good once", async () => {
    const token = await firstStep();
    await secondStep(token, code());
    subject.clock.forward(30);

    const answer = await secondStep(token, code());

    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toMatchObject({ error: "invalid_partial_token" });
  });

  test("a partial token is over after five minutes", async () => {
    const token = await firstStep();
    subject.clock.forward(299);
    expect((await secondStep(token, wrongCode())).json()).toMatchObject({ error: "invalid_code" });
    subject.clock.forward(1);
    expect((await secondStep(token, code())).json()).toMatchObject({ error: "invalid_partial_token" });
  });

  test("a partial token has five tries over both kinds of code, and slips of the keys are none", async () => {
    const token = await firstStep();
    for (let round = 0; round < 6; round++) {
      expect((await secondStep(token, "12345")).json()).toMatchObject({ error: "invalid_code" });
    }
    for (let round = 0; round < 3; round++) {
      await secondStep(token, wrongCode());
    }
    for (let round = 0; round < 2; round++) {
      await secondStep(token, "AAAA-AAAA-AAAA-AAAA");
    }

    expect((await secondStep(token, code())).json()).toMatchObject({ error: "invalid_partial_token" });
    expect((await secondStep(await firstStep(), code())).statusCode).toBe(200);
  });

  test("a partial token dies with a change of the password and with a disabled account", async () => {
    const token = await firstStep();
    const other = await secondStep(await firstStep(), code());
    subject.clock.forward(30);
    await subject.server.inject({
      method: "POST",
      url: "/login/password",
      headers: { authorization: `Bearer ${other.json<{ access_token: string }>().access_token}` },
      payload: { current_password: PASSWORD, new_password: "eight green lanterns" },
    });
    expect((await secondStep(token, code())).json()).toMatchObject({ error: "invalid_partial_token" });

    const later = await partialTokenOf(subject.server, email, "eight green lanterns", ip);
    await change({ disabled_at: subject.clock.now() });
    expect((await secondStep(later, code())).json()).toMatchObject({ error: "invalid_partial_token" });
  });

  test("a code of someone else does not fit", async () => {
    await createAccount(subject.identity, "bea@example.org");
    const bea = await enableSecondFactor(subject, "bea@example.org");

    expect((await secondStep(await firstStep(), codeOf(bea.secret, subject.clock))).json()).toMatchObject({ error: "invalid_code" });
  });

  test("a one-time password asks for the code first and then opens its replacement alone", async () => {
    await change({ must_change_password: true });

    const answer = await secondStep(await firstStep(), code());

    const token = answer.json<{ access_token: string }>().access_token;
    expect(decodeJwt(token)).toMatchObject({ aud: "sightline-password-change" });
    const stepUp = await subject.server.inject({
      method: "POST",
      url: "/step-up",
      headers: { authorization: `Bearer ${token}` },
      payload: { password: PASSWORD, code: code(30) },
    });
    expect(stepUp.statusCode).toBe(200);
    const users = await subject.server.inject({ url: "/admin/users", headers: { authorization: `Bearer ${token}` } });
    expect(users.json()).toMatchObject({ error: "password_change_required" });
    const changed = await subject.server.inject({
      method: "POST",
      url: "/login/password",
      headers: { authorization: `Bearer ${token}` },
      payload: { current_password: PASSWORD, new_password: "eight green lanterns" },
    });
    expect(decodeJwt(changed.json<{ access_token: string }>().access_token)).toMatchObject({
      aud: "sightline",
      amr: ["pwd", "otp", "mfa"],
    });
  });

  test("another site can not finish a login", async () => {
    const answer = await subject.server.inject({
      method: "POST",
      url: "/login/verify-2fa",
      headers: { origin: "https://evil.example.com", "sec-fetch-site": "cross-site" },
      payload: { partial_token: await firstStep(), code: code() },
    });

    expect(answer.json()).toMatchObject({ error: "cross_origin" });
  });

  test.each([
    { wrong: "no token", payload: { code: "123456" } },
    { wrong: "no code", payload: { partial_token: "x" } },
    { wrong: "an empty code", payload: { partial_token: "x", code: " " } },
    { wrong: "a number", payload: { partial_token: "x", code: 123_456 } },
    { wrong: "a code over the limit", payload: { partial_token: "x", code: "1".repeat(65) } },
  ])("$wrong is refused as invalid_request", async ({ payload }) => {
    const answer = await subject.server.inject({ method: "POST", url: "/login/verify-2fa", payload });

    expect(answer.json()).toMatchObject({ error: "invalid_request" });
  });

  test("what looks like a code but is none is wrong, not an error of ours", async () => {
    for (const typed of ["12345", "-12345", "1e5", "+12345", "\0\0\0", "K7".repeat(8), "🔑", "0x1234"]) {
      expect([typed, (await secondStep(await firstStep(), typed)).statusCode]).toEqual([typed, expect.toBeOneOf([401, 429])]);
    }
  });
});
