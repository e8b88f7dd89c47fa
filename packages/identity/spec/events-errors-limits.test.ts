import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codeAt } from "#testing/authenticator.ts";
import { auditOf, createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
import { call, setUpSecondFactor, signedIn, userOf } from "#testing/second-factor-setup.ts";
import { partialTokenOf, verifyCode, wrongCodeOf } from "#testing/second-factor.ts";

let subject: IdentityFixture;
/** Each test has an admin for itself. */
let email: string;
let token: string;
let secret: string;
let backupCodes: readonly string[];

beforeAll(async () => {
  subject = await createIdentityFixture();
});

beforeEach(async () => {
  email = `${randomUUID()}@example.org`;
  token = await signedIn(subject, email);
  ({ secret, backupCodes, token } = await setUpSecondFactor(subject, token));
  subject.clock.forward(60);
});

afterAll(() => subject.close());

const codeIn = (seconds = 0) => codeAt(secret, new Date(subject.clock.now().getTime() + seconds * 1000));
const firstStep = () => partialTokenOf(subject.server, email);
const secondStep = async (code: string) => verifyCode(subject.server, await firstStep(), code);

describe("Events (docs/contract.md#two-factor-events)", () => {
  test("No audit trail entry is written when 2FA is enabled or disabled — a gap, closed: both write one", async () => {
    await call(subject.server, token, "/admin/2fa/disable", { password: PASSWORD, code: codeIn() });
    const events = await auditOf(subject);
    expect(events).toContain("2fa_enabled");
    expect(events).toContain("2fa_disabled");
  });

  test("Notifications or events sent to other systems: not shown — decided: a notice for the owner, mailed where there is a mail server", async () => {
    await call(subject.server, token, "/admin/2fa/disable", { password: PASSWORD, code: codeIn() });
    const { id } = await userOf(subject, token);
    const notices = await subject.database.query
      .selectFrom("identity.notices")
      .select("kind")
      .where("user_id", "=", id)
      .orderBy("at")
      .execute();
    expect(notices.map(({ kind }) => kind)).toEqual(["two_factor_enabled", "two_factor_disabled"]);
  });
});

describe("Errors (docs/contract.md#two-factor-errors)", () => {
  test("Error codes, status codes and bodies for wrong passwords, … not shown — decided: 401 invalid_credentials", async () => {
    const answer = await logIn(subject.server, email, "not the password");
    expect([answer.statusCode, answer.json()]).toEqual([401, { error: "invalid_credentials", message: expect.any(String) }]);
  });

  test("… wrong codes … not shown — decided: 401 invalid_code", async () => {
    const answer = await secondStep(wrongCodeOf(secret, subject.clock, 11));
    expect([answer.statusCode, answer.json()]).toEqual([401, { error: "invalid_code", message: expect.any(String) }]);
  });

  test("… and expired partial tokens: not shown — decided: 401 invalid_partial_token", async () => {
    const partial = await firstStep();
    subject.clock.forward(301);
    const answer = await verifyCode(subject.server, partial, codeIn());
    expect([answer.statusCode, answer.json()]).toEqual([401, { error: "invalid_partial_token", message: expect.any(String) }]);
  });
});

describe("Limits (docs/contract.md#two-factor-limits)", () => {
  test("Partial token lifetime | 5 minutes", async () => {
    const [first, second] = [await firstStep(), await firstStep()];
    subject.clock.forward(5 * 60 - 1);
    expect((await verifyCode(subject.server, first, codeIn())).statusCode).toBe(200);
    subject.clock.forward(1);
    expect((await verifyCode(subject.server, second, codeIn(30))).statusCode).toBe(401);
  });

  test("TOTP code | 6 digits (1,000,000 combinations), 30-second window", async () => {
    expect(codeIn()).toMatch(/^\d{6}$/);
    // The codes of the step before and after count too, for clocks that are a little off; none further away.
    subject.clock.forward(30 - (Math.floor(subject.clock.now().getTime() / 1000) % 30));
    expect((await secondStep(codeIn(-60))).statusCode).toBe(401);
    expect((await secondStep(codeIn(60))).statusCode).toBe(401);
    expect((await secondStep(codeIn(-1))).statusCode).toBe(200);
    expect((await secondStep(codeIn(29))).statusCode).toBe(200);
    expect((await secondStep(codeIn(30))).statusCode).toBe(200);
  });

  test("Attempt rate limiting | none; a known gap — closed: after five wrong codes in a row not even the right one is looked at", async () => {
    for (let index = 0; index < 5; index += 1) {
      expect((await secondStep(wrongCodeOf(secret, subject.clock, index * 1000))).statusCode).toBe(401);
    }
    const answer = await secondStep(codeIn());
    expect([answer.statusCode, answer.json().error]).toEqual([429, "too_many_tries"]);
    expect(Number(answer.headers["retry-after"])).toBe(15 * 60);
    // A pool of its own: the owner gets in with a backup code.
    expect((await secondStep(backupCodes[0] ?? "")).statusCode).toBe(200);
  });

  test("Backup code use | single use", async () => {
    const [code = ""] = backupCodes;
    expect((await secondStep(code)).statusCode).toBe(200);
    expect((await secondStep(code)).statusCode).toBe(401);
  });

  test("Number of backup codes and their format: not shown — decided: ten of XXXX-XXXX-XXXX-XXXX, 80 bits", () => {
    expect(backupCodes).toEqual(Array(10).fill(expect.stringMatching(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)));
  });
});

describe("Versioning (docs/contract.md#two-factor-versioning)", () => {
  test("Versioning of these routes: not shown — decided: none; the paths stand as they are below {base_url}", async () => {
    for (const url of ["/login/access-token", "/login/verify-2fa", "/admin/2fa/setup", "/admin/2fa/verify-setup"]) {
      expect((await subject.server.inject({ method: "POST", url })).statusCode, url).not.toBe(404);
      expect((await subject.server.inject({ method: "POST", url: `/api/v1${url}` })).statusCode, url).toBe(404);
    }
  });
});
