import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSealer } from "#keys/sealed-values.ts";
import { codeAt } from "#testing/authenticator.ts";
import {
  accessTokenOf,
  cookieOf,
  createIdentityFixture,
  logIn,
  PASSWORD,
  SECRETS,
  type IdentityFixture,
} from "#testing/identity-fixture.ts";
import { beginSetup, call, setUpSecondFactor, openSecret, ringUnderTest, signedIn, userOf } from "#testing/second-factor-setup.ts";

let subject: IdentityFixture;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

afterAll(() => subject.close());

function verify(token: string, payload: object, server = subject.server) {
  return call(server, token, "/admin/2fa/verify-setup", payload);
}

function now(): Date {
  return subject.clock.now();
}

function inSeconds(seconds: number): Date {
  return new Date(now().getTime() + seconds * 1000);
}

describe("a setup ticket", () => {
  test("of another user is refused", async () => {
    const eve = await signedIn(subject, "eve@example.org");
    const victim = await signedIn(subject, "victim@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, eve);

    await expectInvalid(victim, secret, setup_token);
  });

  test("of another session of the same user is refused", async () => {
    const token = await signedIn(subject, "sessions@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);

    await expectInvalid(await accessTokenOf(subject.server, "sessions@example.org"), secret, setup_token);
  });

  test("is worth nothing after the logout", async () => {
    await signedIn(subject, "logout@example.org");
    const login = await logIn(subject.server, "logout@example.org");
    const token = login.json<{ access_token: string }>().access_token;
    const { secret, setup_token } = await beginSetup(subject.server, token);
    await subject.server.inject({ method: "POST", url: "/logout", headers: { cookie: cookieOf(login) } });

    expect((await verify(token, { code: codeAt(secret, now()), setup_token })).statusCode).toBe(401);
    await expectInvalid(await accessTokenOf(subject.server, "logout@example.org"), secret, setup_token);
  });

  test("is worth nothing after a password change, even in a session that went on", async () => {
    const token = await signedIn(subject, "changed@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);
    const changed = await call(subject.server, token, "/login/password", {
      current_password: PASSWORD,
      new_password: "nine violet umbrellas",
    });
    const next = changed.json<{ access_token: string }>().access_token;
    const { sub, sid } = decodeJwt(token);
    const code = codeAt(secret, now());
    await expectInvalid(next, secret, setup_token);

    // The session could be the same one only in a system with another flaw: the epoch alone must do.
    const forged = reseal(setup_token, sub ?? "", (ticket) => ({ ...ticket, sessionId: decodeJwt(next)["sid"] }));
    const answer = await verify(next, { code, setup_token: forged });

    expect(sid).not.toBe(decodeJwt(next)["sid"]);
    expect(answer.json()).toMatchObject({ error: "setup_invalid" });
    expect((await userOf(subject, next)).totp_enabled).toBe(false);
  });

  test("that was changed, cut or made up is refused, and says no more than that", async () => {
    const token = await signedIn(subject, "tampered@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);
    const parts = setup_token.split(".");
    const own = createSealer([{ id: "k1", secret: "a-secret-of-an-attacker-0123456789abcdef" }]);
    const { sub = "", sid } = decodeJwt(token);
    const made = { id: sub, userId: sub, sessionId: sid, epoch: 1, secret, expiresAt: inSeconds(600) };
    const forged = [
      parts.with(3, flip(parts[3] ?? "")).join("."),
      parts.with(4, flip(parts[4] ?? "")).join("."),
      parts.with(4, (parts[4] ?? "").slice(0, 6)).join("."),
      parts.with(2, "").join("."),
      parts.slice(0, 4).join("."),
      setup_token.slice(0, -1),
      own.seal(Buffer.from(JSON.stringify(made)), { purpose: "2fa.setup_ticket", subject: sub }),
      ringUnderTest().seal(Buffer.from(JSON.stringify(made)), { purpose: "users.totp_secret", subject: sub }),
      Buffer.from(JSON.stringify(made)).toString("base64url"),
      "v1.k1..",
      "x",
      "",
    ];
    for (const setupToken of forged) {
      await expectInvalid(token, secret, setupToken);
    }
    expect((await verify(token, { code: codeAt(secret, now()), setup_token })).statusCode).toBe(200);
  });

  test("that is missing is refused with what to do", async () => {
    const token = await signedIn(subject, "missing@example.org");

    const answer = await verify(token, { code: "123456" });

    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: "setup_invalid", message: expect.stringContaining("Start it again") });
  });

  test("is good for ten minutes and not a second more", async () => {
    const token = await signedIn(subject, "slow@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);
    subject.clock.forward(600);

    const answer = await verify(token, { code: codeAt(secret, now()), setup_token });

    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: "setup_expired" });
    expect((await userOf(subject, token)).totp_enabled).toBe(false);
  });

  test("is good for one success", async () => {
    const token = await signedIn(subject, "once@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);
    const first = await verify(token, { code: codeAt(secret, now()), setup_token });
    const { access_token: successor } = first.json<{ access_token: string }>();

    const again = await verify(token, { code: codeAt(secret, inSeconds(30)), setup_token });
    const elsewhere = await verify(successor, { code: codeAt(secret, inSeconds(30)), setup_token });

    expect([first, again, elsewhere].map(({ statusCode }) => statusCode)).toEqual([200, 401, 400]);
    expect(elsewhere.json()).toMatchObject({ error: "setup_invalid" });
  });

  test("from before the second factor was switched on in another way changes nothing", async () => {
    const token = await signedIn(subject, "twice@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);
    const { secret: enabled, token: successor } = await setUpSecondFactor(subject, token);

    const answers = [token, successor].map((bearer) => verify(bearer, { code: codeAt(secret, now()), setup_token }));

    expect((await Promise.all(answers)).map((answer) => answer.json())).toMatchObject([
      { error: "auth_failed" },
      { error: "setup_invalid" },
    ]);
    expect(openSecret(await userOf(subject, token))).toBe(enabled);
  });

  test("opens after a new key came first in the ring, and the secret is sealed with that; without its key it is refused", async () => {
    const token = await signedIn(subject, "rotated@example.org");
    const { secret, setup_token } = await beginSetup(subject.server, token);
    const next = "k2:another-ring-secret-of-the-tests-0123456789";
    const rotated = await subject.replica({ environment: { ENCRYPTION_KEYS: `${next},${SECRETS.ENCRYPTION_KEYS}` } });
    const fresh = await signedIn(subject, "fresh@example.org");
    const later = await beginSetup(rotated.server, fresh);

    expect((await verify(token, { code: codeAt(secret, now()), setup_token }, rotated.server)).statusCode).toBe(200);
    expect((await userOf(subject, token)).totp_secret).toMatch(/^v1\.k2\./);
    await expectInvalid(fresh, later.secret, later.setup_token);
  });
});

async function expectInvalid(token: string, secret: string, setupToken: string): Promise<void> {
  const answer = await verify(token, { code: codeAt(secret, now()), setup_token: setupToken });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toEqual({
    error: "setup_invalid",
    message: "There is no set-up under way in this session that this could finish. Start it again, and scan the new QR code.",
  });
  expect((await userOf(subject, token)).totp_enabled).toBe(false);
}

/** Seals the ticket anew, with something else in it. */
function reseal(setupToken: string, subjectId: string, change: (ticket: object) => object): string {
  const context = { purpose: "2fa.setup_ticket", subject: subjectId };
  const ticket = JSON.parse(ringUnderTest().open(setupToken, context).toString()) as object;
  return ringUnderTest().seal(Buffer.from(JSON.stringify(change(ticket))), context);
}

/** Another character at the front, which is no padding. */
function flip(part: string): string {
  return (part.startsWith("A") ? "B" : "A") + part.slice(1);
}
