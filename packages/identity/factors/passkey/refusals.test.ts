import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PasskeyCreation, PasskeyRequest } from "#contract.ts";
import { ask, createAdmin } from "#testing/administration.ts";
import { createIdentityFixture, logIn, type IdentityFixture } from "#testing/identity-fixture.ts";
import { addPasskey, logInByPasskey, loginRequest, post, secondStepRequest, stepUpRequest } from "#testing/passkeys.ts";
import { signedIn } from "#testing/second-factor-setup.ts";
import { partialTokenOf } from "#testing/second-factor.ts";
import { answerOf, makePasskey, type Fault, type SoftwarePasskey } from "#testing/software-authenticator.ts";

const REFUSED = { error: "invalid_passkey", message: "This passkey was not accepted. Try it once more, or log in another way." };

let subject: IdentityFixture;
let count = 0;
/** Each test has an account for itself. */
let email: string;
let token: string;
let passkey: SoftwarePasskey;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

beforeEach(async () => {
  email = `ada-${count++}@example.org`;
  ({ passkey, token } = await addPasskey(subject.server, await signedIn(subject, email)));
  subject.clock.forward(601);
});

afterAll(() => subject.close());

async function lastEvents(most: number) {
  const rows = await subject.database.query
    .selectFrom("identity.audit")
    .select(["event", "details"])
    .orderBy("id", "desc")
    .limit(most)
    .execute();
  return rows.map(({ event, details }) => [event, details["reason"]]).toReversed();
}

const { privateKey: anotherKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

describe("one refusal for everything that is wrong with an answer", () => {
  test.each<[string, Fault, string]>([
    ["another origin", { origin: "https://evil.example" }, "not_verified"],
    ["another relying party", { rpId: "evil.example" }, "not_verified"],
    ["a user who was not verified", { userVerified: false }, "not_verified"],
    ["another key", { signedBy: anotherKey }, "not_verified"],
    ["an answer to another ceremony", { type: "webauthn.create" }, "not_verified"],
    ["a page inside of another site's", { crossOrigin: true }, "challenge"],
    ["a challenge that nobody made", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }, "challenge"],
    ["another account's handle", { userHandle: "AAAAAAAAAAAAAAAAAAAAAA" }, "other_account"],
    ["no handle, where nobody is known yet", { userHandle: undefined }, "other_account"],
  ])("%s", async (_name, fault, reason) => {
    const answer = await logInByPasskey(subject.server, passkey, fault);
    expect([answer.statusCode, answer.json()]).toEqual([401, REFUSED]);
    expect(answer.cookies).toEqual([]);
    expect(await lastEvents(1)).toEqual([["passkey_login_failed", reason]]);
  });

  test("an unknown passkey", async () => {
    const creation = await post(subject.server, "/login/passkeys/options", undefined, await signedIn(subject, `x-${email}`));
    const { passkey: stranger } = makePasskey(creation.json<PasskeyCreation>());
    const answer = await logInByPasskey(subject.server, stranger);
    expect([answer.statusCode, answer.json()]).toEqual([401, REFUSED]);
    expect(await lastEvents(1)).toEqual([["passkey_login_failed", "unknown_credential"]]);
  });

  test("a disabled account", async () => {
    const admin = await createAdmin(subject, `admin-${email}`);
    const { users } = (await ask(subject.server, admin, "GET", `/admin/users?search=${email}`)).json<{
      users: { id: string; email: string }[];
    }>();
    const id = users.find((user) => user.email === email)?.id;
    await ask(subject.server, admin, "PATCH", `/admin/users/${id}`, { disabled: true });
    const answer = await logInByPasskey(subject.server, passkey);
    expect([answer.statusCode, answer.json()]).toEqual([401, REFUSED]);
    expect(await lastEvents(1)).toEqual([["passkey_login_failed", "account_disabled"]]);
  });

  test("a challenge that was answered before, rightly or wrongly, or is older than five minutes", async () => {
    const request = await loginRequest(subject.server);
    const answerIt = (fault?: Fault, of: PasskeyRequest = request) =>
      post(subject.server, "/login/passkey", { response: answerOf(passkey, of, fault) });
    expect((await answerIt()).statusCode).toBe(200);
    expect((await answerIt()).json()).toEqual(REFUSED);

    const failed = await loginRequest(subject.server);
    expect((await answerIt({ userVerified: false }, failed)).statusCode).toBe(401);
    expect((await answerIt({}, failed)).json()).toEqual(REFUSED);

    const old = await loginRequest(subject.server);
    subject.clock.forward(301);
    expect((await answerIt({}, old)).json()).toEqual(REFUSED);
    expect(await lastEvents(1)).toEqual([["passkey_login_failed", "challenge"]]);
  });

  test("a counter that goes back or stands still: the passkey was copied", async () => {
    await logInByPasskey(subject.server, passkey, { counter: 7 });
    for (const counter of [7, 3, 0]) {
      expect((await logInByPasskey(subject.server, passkey, { counter })).json()).toEqual(REFUSED);
      expect(await lastEvents(2)).toEqual([
        ["passkey_cloned", "cloned"],
        ["passkey_login_failed", "cloned"],
      ]);
    }
    // Nobody says so of a passkey that they don't have.
    await logInByPasskey(subject.server, passkey, { counter: 1, signedBy: anotherKey });
    expect(await lastEvents(1)).toEqual([["passkey_login_failed", "not_verified"]]);
    expect((await logInByPasskey(subject.server, passkey, { counter: 8 })).statusCode).toBe(200);
  });
});

describe("a challenge is for one purpose, account and session", () => {
  test("one of the login opens no second step and no step-up, and the other way round", async () => {
    const partialToken = await partialTokenOf(subject.server, email);
    const [forLogin, forStep] = [await loginRequest(subject.server), await secondStepRequest(subject.server, partialToken)];
    const second = await post(subject.server, "/login/verify-2fa/passkey", {
      partial_token: partialToken,
      response: answerOf(passkey, forLogin),
    });
    const first = await post(subject.server, "/login/passkey", { response: answerOf(passkey, forStep) });
    const stepUp = await post(
      subject.server,
      "/step-up/passkey",
      { response: answerOf(passkey, await loginRequest(subject.server)) },
      token,
    );
    expect([second.json(), first.json(), stepUp.json()]).toEqual([REFUSED, REFUSED, REFUSED]);
    expect([second.statusCode, first.statusCode, stepUp.statusCode]).toEqual([401, 401, 403]);
    expect(await lastEvents(1)).toEqual([["step_up_failed", "challenge"]]);
  });

  test("another account's passkey is no second factor of this one", async () => {
    const { passkey: others } = await addPasskey(subject.server, await signedIn(subject, `other-${email}`));
    const partialToken = await partialTokenOf(subject.server, email);
    const own = await post(subject.server, "/login/verify-2fa/passkey", {
      partial_token: partialToken,
      response: answerOf(others, await secondStepRequest(subject.server, partialToken)),
    });
    expect([own.statusCode, own.json()]).toEqual([401, REFUSED]);
    const theirs = await secondStepRequest(subject.server, await partialTokenOf(subject.server, `other-${email}`));
    const mixed = await post(subject.server, "/login/verify-2fa/passkey", {
      partial_token: partialToken,
      response: answerOf(passkey, theirs),
    });
    expect(mixed.json()).toEqual(REFUSED);
  });

  test("another session's challenge steps nothing up and registers nothing", async () => {
    const next = (await logInByPasskey(subject.server, passkey)).json<{ access_token: string }>().access_token;
    const another = (await logInByPasskey(subject.server, passkey)).json<{ access_token: string }>().access_token;
    const stepUp = await post(
      subject.server,
      "/step-up/passkey",
      { response: answerOf(passkey, await stepUpRequest(subject.server, another)) },
      next,
    );
    const creation = await post(subject.server, "/login/passkeys/options", undefined, another);
    const { response } = makePasskey(creation.json<PasskeyCreation>());
    const registered = await post(subject.server, "/login/passkeys", { name: "Mine", response }, next);
    expect([stepUp, registered].map((answer) => [answer.statusCode, answer.json()])).toEqual([
      [403, REFUSED],
      [403, REFUSED],
    ]);
  });
});

test("of twenty logins at once with one answer one succeeds, over two replicas", async () => {
  const { server: replica } = await subject.replica();
  const response = answerOf(passkey, await loginRequest(subject.server));
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => post(index % 2 === 0 ? subject.server : replica, "/login/passkey", { response })),
  );
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(19);
});

test("what one replica asks another one takes", async () => {
  const { server: replica } = await subject.replica();
  const response = answerOf(passkey, await loginRequest(subject.server));
  expect((await post(replica, "/login/passkey", { response })).statusCode).toBe(200);
});

test("of twenty second steps at once one succeeds", async () => {
  const partialToken = await partialTokenOf(subject.server, email);
  const response = answerOf(passkey, await secondStepRequest(subject.server, partialToken));
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post(subject.server, "/login/verify-2fa/passkey", { partial_token: partialToken, response })),
  );
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
});

test("refused answers are counted by network, right ones are not", async () => {
  const from = "198.51.100.9";
  for (let index = 0; index < 31; index++) {
    expect((await logInByPasskey(subject.server, passkey, {}, from)).statusCode).toBe(200);
  }
  for (let index = 0; index < 30; index++) {
    expect((await logInByPasskey(subject.server, passkey, { userVerified: false }, from)).statusCode).toBe(401);
  }
  const full = await logInByPasskey(subject.server, passkey, {}, from);
  expect([full.statusCode, full.headers["retry-after"]]).toEqual([429, expect.any(String)]);
  expect((await logInByPasskey(subject.server, passkey)).statusCode).toBe(200);
  expect((await logIn(subject.server, email)).statusCode).toBe(200);
});

test("a body that is none is refused before anything is looked at", async () => {
  const { challenge } = await loginRequest(subject.server);
  const right = answerOf(passkey, { challenge, rpId: "localhost", timeout: 1, userVerification: "required" });
  for (const response of [{}, { ...right, id: "not base64url!" }, { ...right, response: {} }, { ...right, type: "password" }]) {
    expect((await post(subject.server, "/login/passkey", { response })).statusCode).toBe(400);
  }
  const big = await post(subject.server, "/login/passkey", { response: right, more: "x".repeat(40_000) });
  expect(big.statusCode).toBe(413);
  expect((await post(subject.server, "/login/passkey", { response: right })).statusCode).toBe(200);
});
