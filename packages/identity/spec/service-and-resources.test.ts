import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codeAt } from "#testing/authenticator.ts";
import { accessTokenOf, createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
import { beginSetup, call, openSecret, setUpSecondFactor, signedIn, userOf } from "#testing/second-factor-setup.ts";
import { partialTokenOf, verifyCode, wrongCodeOf } from "#testing/second-factor.ts";

const MEMBER = "grace@example.org";

let subject: IdentityFixture;
/** Each test has an admin for itself. */
let email: string;
let token: string;

beforeAll(async () => {
  subject = await createIdentityFixture({ environment: { REGISTRATION: "open" } });
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

/** The code that the authenticator app shows, so many seconds from now. */
const codeIn = (secret: string, seconds = 0) => codeAt(secret, new Date(subject.clock.now().getTime() + seconds * 1000));

describe("What the service does (docs/contract.md#two-factor-what-the-service-does)", () => {
  test("Adds a second authentication factor to admin login. It works with any authenticator application", async () => {
    const shown = await beginSetup(subject.server, token);
    const url = new URL(shown.otpauth_url);
    expect([url.protocol, url.host]).toEqual(["otpauth:", "totp"]);
    expect(url.searchParams.get("secret")).toBe(shown.secret);
    expect(url.searchParams.get("algorithm") ?? "SHA1").toBe("SHA1");
    expect([url.searchParams.get("digits") ?? "6", url.searchParams.get("period") ?? "30"]).toEqual(["6", "30"]);

    // The codes come from an authenticator that nobody here wrote.
    const { secret } = await setUpSecondFactorHere();
    const answer = await verifyCode(subject.server, await partialTokenOf(subject.server, email), codeIn(secret, 30));
    expect(answer.statusCode).toBe(200);
  });

  test("Scope is admin users only. Regular users have no 2FA option — and no passkeys, unless their organization switches them on", async () => {
    const member = { email: MEMBER, password: PASSWORD, name: "Grace" };
    await subject.server.inject({ method: "POST", url: "/api/v1/auth/register", payload: member });
    const memberToken = await accessTokenOf(subject.server, MEMBER);

    for (const path of ["setup", "verify-setup", "replace", "backup-codes", "disable"]) {
      const answer = await call(subject.server, memberToken, `/admin/2fa/${path}`, { code: "123456", password: PASSWORD });
      expect([answer.statusCode, answer.json().error], path).toEqual([403, "admin_only"]);
    }
    // A passkey is a way to sign in that their organization may let them have; off until it does.
    const passkey = await call(subject.server, memberToken, "/login/passkeys/options", {});
    expect([passkey.statusCode, passkey.json().error]).toEqual([403, "passkeys_not_allowed"]);
    expect((await logIn(subject.server, MEMBER)).json()).toHaveProperty("access_token");
  });

  test("Provides: setup (secret plus QR code), verification of the setup, login in two steps (password, then code), and regeneration of backup codes", async () => {
    const { secret } = await setUpSecondFactorHere();
    const partial = await partialTokenOf(subject.server, email);
    expect((await verifyCode(subject.server, partial, codeIn(secret, 30))).statusCode).toBe(200);
    subject.clock.forward(60);
    const again = await call(subject.server, token, "/admin/2fa/backup-codes", { password: PASSWORD, code: codeIn(secret) });
    expect(again.json().backup_codes).toHaveLength(10);
  });

  test("A backup code is accepted in place of the TOTP code at the second login step", async () => {
    const { backupCodes } = await setUpSecondFactorHere();
    const answer = await verifyCode(subject.server, await partialTokenOf(subject.server, email), backupCodes[0] ?? "");
    expect(answer.json()).toMatchObject({ token_type: "bearer", method: "backup_code", backup_codes_remaining: 9 });
  });
});

describe("Resources and their fields (docs/contract.md#two-factor-resources-and-their-fields)", () => {
  test("User record | totp_secret | TOTP secret, stored encrypted at rest", async () => {
    const { secret } = await setUpSecondFactorHere();
    const user = await userOf(subject, token);
    expect(user.totp_secret).toMatch(/^v1\.k1\.[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(user.totp_secret).not.toContain(secret);
    expect(openSecret(user)).toBe(secret);
  });

  test("User record | totp_enabled | boolean flag telling whether login requires the second step", async () => {
    expect((await userOf(subject, token)).totp_enabled).toBe(false);
    expect((await logIn(subject.server, email)).json()).not.toHaveProperty("two_factor_required");
    await setUpSecondFactorHere();
    expect((await userOf(subject, token)).totp_enabled).toBe(true);
    expect((await logIn(subject.server, email)).json()).toHaveProperty("two_factor_required", true);
  });

  test("User record | totp_backup_codes | list of bcrypt hashes; each entry is deleted once used (single use)", async () => {
    const { backupCodes } = await setUpSecondFactorHere();
    const before = (await userOf(subject, token)).totp_backup_codes;
    // The code's first two symbols stand before its hash, so that a try costs one bcrypt.
    expect(before.map((entry) => entry.replace(/^[\dA-Z]{2}:/, ""))).toEqual(Array(10).fill(expect.stringMatching(/^\$2b\$10\$.{53}$/)));

    await verifyCode(subject.server, await partialTokenOf(subject.server, email), backupCodes[3] ?? "");

    const after = (await userOf(subject, token)).totp_backup_codes;
    expect(after).toEqual(before.filter((entry) => !entry.startsWith((backupCodes[3] ?? "").slice(0, 2))));
    expect(after).toHaveLength(9);
  });

  test("User record | totp_last_used_at | timestamp; exists, but no rate limiting is built on it", async () => {
    const { secret } = await setUpSecondFactorHere();
    subject.clock.forward(60);
    await verifyCode(subject.server, await partialTokenOf(subject.server, email), codeIn(secret));
    const now = subject.clock.now().getTime();
    expect((await userOf(subject, token)).totp_last_used_at?.getTime()).toBe(now - (now % 30_000));

    const partial = await partialTokenOf(subject.server, email);
    for (let index = 0; index < 5; index += 1) {
      await verifyCode(subject.server, partial, wrongCodeOf(secret, subject.clock, index));
    }
    for (const usedAt of [null, new Date(0), new Date(now + 3_600_000)]) {
      await subject.database.query.updateTable("identity.users").set({ totp_last_used_at: usedAt }).where("email", "=", email).execute();
      const locked = await verifyCode(subject.server, await partialTokenOf(subject.server, email), codeIn(secret, 30));
      expect(locked.statusCode).toBe(429);
    }
    subject.clock.forward(15 * 60 + 1);
    const unlocked = await verifyCode(subject.server, await partialTokenOf(subject.server, email), codeIn(secret));
    expect(unlocked.statusCode).toBe(200);
  });

  test("Partial token | … | short-lived token (5 minutes), valid only for POST /login/verify-2fa", async () => {
    const { secret } = await setUpSecondFactorHere();
    const partial = await partialTokenOf(subject.server, email);
    for (const path of ["/login/me", "/admin/2fa"]) {
      const answer = await subject.server.inject({ url: path, headers: { authorization: `Bearer ${partial}` } });
      expect(answer.statusCode, path).toBe(401);
    }
    expect((await call(subject.server, partial, "/login/refresh")).statusCode).toBe(401);
    subject.clock.forward(299);
    expect((await verifyCode(subject.server, partial, codeIn(secret))).statusCode).toBe(200);
    const late = await partialTokenOf(subject.server, email);
    subject.clock.forward(301);
    expect((await verifyCode(subject.server, late, codeIn(secret))).json()).toHaveProperty("error", "invalid_partial_token");
  });

  test("Setup result | … | the TOTP secret and a QR code rendered as SVG", async () => {
    const shown = await beginSetup(subject.server, token);
    expect(shown.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(shown.qr_svg).toMatch(/^<svg[^>]*>.*<\/svg>\s*$/s);
  });
});
