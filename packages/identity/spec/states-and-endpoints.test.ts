import { randomUUID } from "node:crypto";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codeAt } from "#testing/authenticator.ts";
import { createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
import { beginSetup, call, setUpSecondFactor, signedIn, userOf } from "#testing/second-factor-setup.ts";
import { partialTokenOf, verifyCode, wrongCodeOf } from "#testing/second-factor.ts";

const FULL_SESSION = { token_type: "bearer", access_token: expect.any(String), expires_in: 3600 };
const PARTIAL_SESSION = { two_factor_required: true, partial_token: expect.any(String), expires_in: 300 };

let subject: IdentityFixture;
/** Each test has an admin for itself. */
let email: string;
let token: string;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

beforeEach(async () => {
  email = `${randomUUID()}@example.org`;
  token = await signedIn(subject, email);
});

afterAll(() => subject.close());

/** Goes on with the session that takes the place of the one before. */
async function setUpSecondFactorHere() {
  const made = await setUpSecondFactor(subject, token);
  token = made.token;
  return made;
}

const codeIn = (secret: string, seconds = 0) => codeAt(secret, new Date(subject.clock.now().getTime() + seconds * 1000));

function rowsOf(table: "identity.sessions" | "identity.setup_tries") {
  return subject.database.query
    .selectFrom(table)
    .select("user_id")
    .where("user_id", "=", decodeJwt(token).sub ?? "")
    .execute();
}

describe("States and transitions (docs/contract.md#two-factor-states-and-transitions)", () => {
  test("totp_enabled false | POST /login/access-token | email and password valid | full session | none", async () => {
    const answer = await logIn(subject.server, email);
    expect([answer.statusCode, answer.json()]).toEqual([200, FULL_SESSION]);
  });

  test("totp_enabled true | POST /login/access-token | email and password valid | partial token issued (5 min expiry)", async () => {
    await setUpSecondFactorHere();
    const answer = await logIn(subject.server, email);
    expect([answer.statusCode, answer.json()]).toEqual([200, PARTIAL_SESSION]);
  });

  test("… the partial token gives no access except to verify-2fa", async () => {
    await setUpSecondFactorHere();
    const answer = await logIn(subject.server, email);
    // There is no session yet: no cookie, no row. That every route of every part refuses it is crawled in apps/platform.
    expect(answer.cookies).toEqual([]);
    // The two are the one that set it up, and its successor.
    expect(await rowsOf("identity.sessions")).toHaveLength(2);
    const me = await subject.server.inject({ url: "/login/me", headers: { authorization: `Bearer ${answer.json().partial_token}` } });
    expect(me.statusCode).toBe(401);
  });

  test("partial token | POST /login/verify-2fa | valid TOTP code, … | full session", async () => {
    const { secret } = await setUpSecondFactorHere();
    const answer = await verifyCode(subject.server, await partialTokenOf(subject.server, email), codeIn(secret, 30));
    expect([answer.statusCode, answer.json()]).toEqual([200, { ...FULL_SESSION, method: "totp", backup_codes_remaining: 10 }]);
  });

  test("partial token | POST /login/verify-2fa | … or an unused backup code | full session | a used backup code is deleted", async () => {
    const { backupCodes } = await setUpSecondFactorHere();
    const [code = ""] = backupCodes;
    const answer = await verifyCode(subject.server, await partialTokenOf(subject.server, email), code);
    expect([answer.statusCode, answer.json()]).toEqual([200, { ...FULL_SESSION, method: "backup_code", backup_codes_remaining: 9 }]);
    expect((await userOf(subject, token)).totp_backup_codes.some((entry) => entry.startsWith(code.slice(0, 2)))).toBe(false);
    const again = await verifyCode(subject.server, await partialTokenOf(subject.server, email), code);
    expect(again.statusCode).toBe(401);
  });

  test("any admin | POST /admin/2fa/setup | … | secret generated and QR code returned | nothing is stored yet", async () => {
    const before = await userOf(subject, token);
    const first = await beginSetup(subject.server, token);
    const second = await beginSetup(subject.server, token);
    expect(first.secret).not.toBe(second.secret);
    expect(await userOf(subject, token)).toEqual(before);
    expect(await rowsOf("identity.setup_tries")).toEqual([]);
  });

  test("setup started | POST /admin/2fa/verify-setup | submitted code verifies | secret encrypted and stored; backup codes generated and stored as hashes", async () => {
    const { secret, setup_token } = await beginSetup(subject.server, token);
    const wrong = await call(subject.server, token, "/admin/2fa/verify-setup", {
      code: wrongCodeOf(secret, subject.clock, 7),
      setup_token,
    });
    expect([wrong.statusCode, (await userOf(subject, token)).totp_secret]).toEqual([400, null]);

    const right = await call(subject.server, token, "/admin/2fa/verify-setup", { code: codeIn(secret), setup_token });
    expect(right.statusCode).toBe(200);
    const user = await userOf(subject, token);
    expect(user.totp_secret).toMatch(/^v1\./);
    expect(user.totp_backup_codes).toHaveLength(10);
  });

  test("The move that sets totp_enabled to true: not shown — decided: verify-setup, with the secret and the codes", async () => {
    const { secret, setup_token } = await beginSetup(subject.server, token);
    expect((await userOf(subject, token)).totp_enabled).toBe(false);
    const answer = await call(subject.server, token, "/admin/2fa/verify-setup", { code: codeIn(secret), setup_token });
    expect(answer.json()).toHaveProperty("totp_enabled", true);
    expect((await userOf(subject, token)).totp_enabled).toBe(true);
  });

  test("The operation that disables 2FA: not shown — decided: POST /admin/2fa/disable with password and code", async () => {
    const { secret } = await setUpSecondFactorHere();
    subject.clock.forward(30);
    const answer = await call(subject.server, token, "/admin/2fa/disable", { password: PASSWORD, code: codeIn(secret) });
    expect(answer.statusCode).toBe(204);
    expect(await userOf(subject, token)).toMatchObject({ totp_enabled: false, totp_secret: null, totp_backup_codes: [] });
    expect((await logIn(subject.server, email)).json()).toEqual(FULL_SESSION);
  });
});

describe("Endpoints (docs/contract.md#two-factor-endpoints)", () => {
  test("POST | /admin/2fa/setup | no payload described | the TOTP secret and the QR code as SVG", async () => {
    const answer = await subject.server.inject({ method: "POST", url: "/admin/2fa/setup", headers: { authorization: `Bearer ${token}` } });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ secret: expect.stringMatching(/^[A-Z2-7]{32}$/), qr_svg: expect.stringMatching(/^<svg/) });
  });

  test("POST | /admin/2fa/verify-setup | a TOTP code from the authenticator | on success the secret is stored and backup codes are generated", async () => {
    const setup = await call(subject.server, token, "/admin/2fa/setup");
    const { secret } = setup.json<{ secret: string }>();
    const cookies = Object.fromEntries(setup.cookies.map(({ name, value }) => [name, value]));
    // The code alone: what belongs to it travels as a cookie.
    const answer = await subject.server.inject({
      method: "POST",
      url: "/admin/2fa/verify-setup",
      headers: { authorization: `Bearer ${token}` },
      cookies,
      payload: { code: codeIn(secret) },
    });
    expect(answer.json()).toMatchObject({ totp_enabled: true, backup_codes: Array(10).fill(expect.any(String)) });
    expect((await userOf(subject, token)).totp_secret).not.toBeNull();
  });

  test("POST | /login/access-token | email and password | a full session, or a partial token when totp_enabled is true", async () => {
    const payload = { email: email, password: PASSWORD };
    const before = await subject.server.inject({ method: "POST", url: "/login/access-token", payload });
    await setUpSecondFactorHere();
    const after = await subject.server.inject({ method: "POST", url: "/login/access-token", payload });
    expect([before.json(), after.json()]).toEqual([FULL_SESSION, PARTIAL_SESSION]);
  });

  test("POST | /login/verify-2fa | the partial token and a code (TOTP or backup code) | a full session", async () => {
    const { secret } = await setUpSecondFactorHere();
    const payload = { partial_token: await partialTokenOf(subject.server, email), code: codeIn(secret, 30) };
    const answer = await subject.server.inject({ method: "POST", url: "/login/verify-2fa", payload });
    expect(answer.json()).toMatchObject(FULL_SESSION);
    expect(answer.headers["set-cookie"]).toContainEqual(expect.stringMatching(/sightline_refresh=.*HttpOnly/));
  });

  test("(regeneration of backup codes) — decided: POST /admin/2fa/backup-codes with password and code; the old ones are dead", async () => {
    const { secret, backupCodes } = await setUpSecondFactorHere();
    subject.clock.forward(30);
    const answer = await call(subject.server, token, "/admin/2fa/backup-codes", { password: PASSWORD, code: codeIn(secret) });
    const { backup_codes: fresh } = answer.json<{ backup_codes: string[] }>();
    expect(new Set([...fresh, ...backupCodes]).size).toBe(20);
    const old = await verifyCode(subject.server, await partialTokenOf(subject.server, email), backupCodes[0] ?? "");
    const now = await verifyCode(subject.server, await partialTokenOf(subject.server, email), fresh[0] ?? "");
    expect([old.statusCode, now.statusCode]).toEqual([401, 200]);
  });
});

describe("Authentication (docs/contract.md#two-factor-authentication)", () => {
  test("1. Step one: email and password at POST /login/access-token", async () => {
    const wrong = [await logIn(subject.server, email, "not the password"), await logIn(subject.server, "nobody@example.org")];
    expect(wrong.map(({ statusCode }) => statusCode)).toEqual([401, 401]);
    expect((await logIn(subject.server, email)).statusCode).toBe(200);
  });

  test("2. When totp_enabled is false the result is a full session. When true, the result is a partial token with 5 minutes expiry", async () => {
    expect((await logIn(subject.server, email)).json()).toEqual(FULL_SESSION);
    await setUpSecondFactorHere();
    expect((await logIn(subject.server, email)).json()).toEqual(PARTIAL_SESSION);
  });

  test("3. Step two: the partial token plus a TOTP code or backup code at POST /login/verify-2fa, which returns the full session", async () => {
    const { secret, backupCodes } = await setUpSecondFactorHere();
    for (const code of [codeIn(secret, 30), backupCodes[0] ?? ""]) {
      const answer = await verifyCode(subject.server, await partialTokenOf(subject.server, email), code);
      const headers = { authorization: `Bearer ${answer.json<{ access_token: string }>().access_token}` };
      expect((await subject.server.inject({ url: "/login/me", headers })).statusCode).toBe(200);
    }
  });

  test("4. Secrets are encrypted at rest; backup codes are irreversible hashes", async () => {
    const { secret, backupCodes } = await setUpSecondFactorHere();
    const stored = JSON.stringify(await userOf(subject, token));
    for (const shown of [secret, ...backupCodes, ...backupCodes.map((code) => code.replaceAll("-", ""))]) {
      expect(stored).not.toContain(shown);
    }
  });

  test("Format and lifetime of the full session token: not shown — decided: a JWT of one hour with a rotating refresh cookie", async () => {
    const answer = await logIn(subject.server, email);
    const { iat = 0, exp = 0 } = decodeJwt(answer.json<{ access_token: string }>().access_token);
    expect(exp - iat).toBe(3600);
    expect(answer.headers["set-cookie"]).toContainEqual(expect.stringMatching(/sightline_refresh=/));
  });

  test("Credentials required by the setup, verify-setup and regeneration routes: not shown — decided: an admin's access token", async () => {
    for (const path of ["setup", "verify-setup", "backup-codes"]) {
      const answer = await subject.server.inject({ method: "POST", url: `/admin/2fa/${path}` });
      expect([answer.statusCode, answer.json().error], path).toEqual([401, "auth_failed"]);
    }
  });
});
