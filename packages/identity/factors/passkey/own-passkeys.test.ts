import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PasskeyCreation, PasskeysAnswer } from "#contract.ts";
import { ask } from "#testing/administration.ts";
import { auditOf, cookieOf, createIdentityFixture, logIn, PASSWORD, refresh, type IdentityFixture } from "#testing/identity-fixture.ts";
import { addPasskey, logInByPasskey, post, stepUpByPasskey, stepUpRequest } from "#testing/passkeys.ts";
import { signedIn } from "#testing/second-factor-setup.ts";
import { partialTokenOf, verifyCode } from "#testing/second-factor.ts";
import { answerOf, makePasskey, type Fault } from "#testing/software-authenticator.ts";

const EMAIL = "ada@example.org";

let subject: IdentityFixture;
let first: string;

beforeEach(async () => {
  subject = await createIdentityFixture();
  first = await signedIn(subject, EMAIL);
});

afterEach(() => subject.close());

async function list(token: string) {
  return (await ask(subject.server, { token }, "GET", "/login/passkeys")).json<PasskeysAnswer>().passkeys;
}

async function noticesOf(token: string) {
  const { notices } = (await ask(subject.server, { token }, "GET", "/login/notices")).json<{ notices: { text: string }[] }>();
  return notices.map(({ text }) => text);
}

async function statusOf(token: string) {
  return (await ask(subject.server, { token }, "GET", "/login/me")).statusCode;
}

async function tryToAdd(token: string, { name = "Mine", ...fault }: Fault & { readonly name?: string } = {}) {
  const creation = await post(subject.server, "/login/passkeys/options", undefined, token);
  const { response } = makePasskey(creation.json<PasskeyCreation>(), fault);
  return post(subject.server, "/login/passkeys", { name, response }, token);
}

describe("the first passkey", () => {
  test("ends every session and login under way; whoever asked goes on in a new one", async () => {
    const other = (await logIn(subject.server, EMAIL)).json<{ access_token: string }>().access_token;

    const added = await tryToAdd(first, { name: "  Laptop " });

    const { access_token: token } = added.json<{ access_token: string }>();
    expect([added.statusCode, added.json()]).toEqual([
      201,
      {
        token_type: "bearer",
        access_token: expect.any(String),
        expires_in: 3600,
        passkey: { id: expect.any(String), name: "Laptop", created_at: expect.any(String), last_used_at: null, synced: false },
      },
    ]);
    expect([await statusOf(first), await statusOf(other), await statusOf(token)]).toEqual([401, 401, 200]);
    expect((await refresh(subject.server, cookieOf(added))).statusCode).toBe(200);
    expect((await auditOf(subject)).slice(-3)).toEqual(["passkey_added", "session_revoked", "session_revoked"]);
    expect(await noticesOf(token)).toEqual(['A passkey ("Laptop") was added to your account: it logs in without the password.']);
    expect((await ask(subject.server, { token }, "GET", "/login/me")).json()).toMatchObject({ passkeys: 1, totp_enabled: false });
  });

  test("the second one ends no session, but logins that wait for their second step", async () => {
    const { token } = await addPasskey(subject.server, first);
    const partialToken = await partialTokenOf(subject.server, EMAIL);
    const added = await tryToAdd(token, { name: "Phone" });
    expect(added.json()).toEqual({ passkey: expect.objectContaining({ name: "Phone" }) });
    expect(await statusOf(token)).toBe(200);
    expect((await verifyCode(subject.server, partialToken, "123456")).statusCode).toBe(401);
    expect((await list(token)).map(({ name }) => name)).toEqual(["Laptop", "Phone"]);
  });
});

describe("registration", () => {
  test("asks for a passkey that is found without a name, verifies its user, and is not there yet", async () => {
    const { passkey, token } = await addPasskey(subject.server, first);
    const creation = await post(subject.server, "/login/passkeys/options", undefined, token);
    expect(creation.json()).toMatchObject({
      rp: { id: "localhost", name: "Sightline" },
      user: { name: EMAIL, displayName: "Ada" },
      excludeCredentials: [{ id: passkey.id, type: "public-key" }],
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      attestation: "none",
    });
  });

  test.each<[string, Fault]>([
    ["another origin", { origin: "https://evil.example" }],
    ["another relying party", { rpId: "evil.example" }],
    ["a user who was not verified", { userVerified: false }],
    ["an answer to another ceremony", { type: "webauthn.get" }],
    ["a challenge that nobody made", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
  ])("refuses %s", async (_name, fault) => {
    const answer = await tryToAdd(first, fault);
    expect([answer.statusCode, answer.json()]).toMatchObject([403, { error: "invalid_passkey" }]);
    expect(await list(first)).toEqual([]);
  });

  test("takes an answer once, and nobody's passkey twice", async () => {
    const creation = (await post(subject.server, "/login/passkeys/options", undefined, first)).json<PasskeyCreation>();
    const { response } = makePasskey(creation);
    const { access_token: token } = (await post(subject.server, "/login/passkeys", { name: "Mine", response }, first)).json<{
      access_token: string;
    }>();
    expect((await post(subject.server, "/login/passkeys", { name: "Mine", response }, token)).statusCode).toBe(403);
    expect(await list(token)).toHaveLength(1);
  });

  test("asks for the password again when the login is older than ten minutes", async () => {
    subject.clock.forward(601);
    const late = await post(subject.server, "/login/passkeys/options", undefined, first);
    expect([late.statusCode, late.json()]).toMatchObject([403, { error: "step_up_required" }]);
    await post(subject.server, "/step-up", { password: PASSWORD }, first);
    expect((await tryToAdd(first)).statusCode).toBe(201);
  });

  test.each(["", "x".repeat(101), "two\nlines", "\u202Eback"])("refuses the name %j", async (name) => {
    expect((await tryToAdd(first, { name })).statusCode).toBe(400);
  });

  test("ends at twenty", async () => {
    let { token } = await addPasskey(subject.server, first);
    for (let index = 1; index < 20; index++) {
      ({ token } = await addPasskey(subject.server, token));
    }
    const asked = await post(subject.server, "/login/passkeys/options", undefined, token);
    expect([asked.statusCode, asked.json()]).toMatchObject([409, { error: "too_many_passkeys" }]);
  });
});

describe("one's own passkeys", () => {
  test("are renamed, by their owner alone", async () => {
    const { id, token } = await addPasskey(subject.server, first);
    const others = await signedIn(subject, "grace@example.org");
    expect((await ask(subject.server, { token: others }, "PATCH", `/login/passkeys/${id}`, { name: "Hers" })).statusCode).toBe(404);
    expect((await ask(subject.server, { token }, "PATCH", `/login/passkeys/${id}`, { name: "Desk" })).statusCode).toBe(204);
    expect(await list(token)).toMatchObject([{ name: "Desk" }]);
    expect(await list(others)).toEqual([]);
    expect((await auditOf(subject)).at(-1)).toBe("passkey_renamed");
    subject.clock.forward(601);
    const late = await ask(subject.server, { token }, "PATCH", `/login/passkeys/${id}`, { name: "Lost" });
    expect([late.statusCode, late.json()]).toMatchObject([403, { error: "step_up_required" }]);
  });

  test("show when they were last used", async () => {
    const { passkey, token } = await addPasskey(subject.server, first);
    subject.clock.forward(60);
    await logInByPasskey(subject.server, passkey);
    expect(await list(token)).toMatchObject([{ last_used_at: subject.clock.now().toISOString() }]);
  });

  test("are removed after a step-up; the last one leaves the password alone", async () => {
    const { passkey, id, token } = await addPasskey(subject.server, first);
    const other = (await logInByPasskey(subject.server, passkey)).json<{ access_token: string }>().access_token;
    const early = await ask(subject.server, { token }, "DELETE", `/login/passkeys/${id}`);
    expect([early.statusCode, early.json()]).toMatchObject([403, { error: "step_up_required" }]);

    expect((await stepUpByPasskey(subject.server, token, passkey)).statusCode).toBe(200);
    expect((await ask(subject.server, { token }, "DELETE", `/login/passkeys/${id}`)).statusCode).toBe(204);

    expect((await logInByPasskey(subject.server, passkey)).statusCode).toBe(401);
    expect([await statusOf(token), await statusOf(other)]).toEqual([200, 401]);
    expect((await logIn(subject.server, EMAIL)).json()).not.toHaveProperty("two_factor_required");
    expect(await noticesOf(token)).toContain(
      'A passkey ("Laptop") was removed from your account; from now on your password alone is enough to log in.',
    );
    expect(await auditOf(subject)).toContain("passkey_removed");
    expect((await ask(subject.server, { token }, "DELETE", `/login/passkeys/${id}`)).statusCode).toBe(404);
  });
});

describe("a step-up by passkey", () => {
  test("is as good as one by password and code, for ten minutes on its session", async () => {
    const { passkey, token } = await addPasskey(subject.server, first);
    const answer = await stepUpByPasskey(subject.server, token, passkey);
    const until = new Date(subject.clock.now().getTime() + 600_000).toISOString();
    expect([answer.statusCode, answer.json()]).toEqual([200, { step_up_until: until }]);
    expect((await ask(subject.server, { token }, "GET", "/login/me")).json()).toMatchObject({ step_up_until: until });
    expect((await auditOf(subject)).at(-1)).toBe("step_up_ok");
  });

  test("stands in place of the password, which alone is not enough", async () => {
    const { token } = await addPasskey(subject.server, first);
    const answer = await post(subject.server, "/step-up", { password: PASSWORD }, token);
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { error: "passkey_required" }]);
  });

  test("without passkeys there is nothing to ask for", async () => {
    const asked = await post(subject.server, "/step-up/passkey/options", undefined, first);
    expect([asked.statusCode, asked.json()]).toMatchObject([404, { error: "unknown_passkey" }]);
  });

  test("refused answers are counted for the session alone", async () => {
    const { passkey, token } = await addPasskey(subject.server, first);
    for (let index = 0; index < 30; index++) {
      const response = answerOf(passkey, await stepUpRequest(subject.server, token), { userVerified: false });
      expect((await post(subject.server, "/step-up/passkey", { response }, token)).statusCode).toBe(403);
    }
    expect((await stepUpByPasskey(subject.server, token, passkey)).statusCode).toBe(429);
    expect((await logInByPasskey(subject.server, passkey)).statusCode).toBe(200);
  });
});
