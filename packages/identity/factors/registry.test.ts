import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { factorSchema, factorsOfAccount, type Factor } from "#contract.ts";
import { codeAt } from "#testing/authenticator.ts";
import { accessTokenOf, auditOf, createAccount, createIdentityFixture, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
import { addPasskey, post, secondStepRequest, stepUpByPasskey } from "#testing/passkeys.ts";
import { ringUnderTest, setUpSecondFactor } from "#testing/second-factor-setup.ts";
import { partialTokenOf, verifyCode, wrongCodeOf } from "#testing/second-factor.ts";
import { answerOf, type Fault, type SoftwarePasskey } from "#testing/software-authenticator.ts";
import { createCodeKinds, FACTOR_KINDS } from "./registry.ts";

/** The contract of every kind of second factor. A kind without a row here does not compile. */

type Answer = Awaited<ReturnType<typeof post>>;

/** A second factor in somebody's hands. */
type HeldFactor = {
  readonly logIn: (partialToken: string) => Promise<Answer>;
  readonly logInWrongly: (partialToken: string) => Promise<Answer>;
  readonly stepUp: (token: string) => Promise<Answer>;
  /** By a session that was just stepped up. @returns what is held from then on, and the session's token. */
  readonly replace: (token: string) => Promise<SetUp>;
};

type SetUp = { readonly held: HeldFactor; readonly token: string };

type FactorRow = {
  /** By a session that has just logged in. */
  readonly setUp: (token: string) => Promise<SetUp>;
  /** The first request of setting it up. */
  readonly begin: (token: string) => Promise<Answer>;
  /** Reads how the route for it describes it to its owner. */
  readonly shown: (token: string) => Promise<unknown>;
  readonly amr: readonly string[];
  readonly events: readonly string[];
};

let subject: IdentityFixture;

const get = (url: string, token: string) => subject.server.inject({ url, headers: { authorization: `Bearer ${token}` } });

function heldApp(secret: string): HeldFactor {
  /** Each code counts once. */
  function nextCode(): string {
    subject.clock.forward(30);
    return codeAt(secret, subject.clock.now());
  }
  return {
    logIn: (partialToken) => verifyCode(subject.server, partialToken, nextCode()),
    logInWrongly: (partialToken) => verifyCode(subject.server, partialToken, wrongCodeOf(secret, subject.clock)),
    stepUp: (token) => post(subject.server, "/step-up", { password: PASSWORD, code: nextCode() }, token),
    replace: async (token) => {
      const begun = await post(subject.server, "/admin/2fa/replace", { password: PASSWORD, code: nextCode() }, token);
      const { secret: next, setup_token } = begun.json<{ secret: string; setup_token: string }>();
      const payload = { code: codeAt(next, subject.clock.now()), setup_token };
      const ended = await post(subject.server, "/admin/2fa/verify-setup", payload, token);
      return { held: heldApp(next), token: ended.json<{ access_token: string }>().access_token };
    },
  };
}

function heldPasskey({ id, passkey }: { readonly id: string; readonly passkey: SoftwarePasskey }): HeldFactor {
  async function logIn(partialToken: string, fault: Fault = {}): Promise<Answer> {
    const response = answerOf(passkey, await secondStepRequest(subject.server, partialToken), fault);
    return post(subject.server, "/login/verify-2fa/passkey", { partial_token: partialToken, response });
  }
  return {
    logIn: (partialToken) => logIn(partialToken),
    logInWrongly: (partialToken) => logIn(partialToken, { userVerified: false }),
    stepUp: (token) => stepUpByPasskey(subject.server, token, passkey),
    replace: async (token) => {
      const added = await addPasskey(subject.server, token);
      await subject.server.inject({ method: "DELETE", url: `/login/passkeys/${id}`, headers: { authorization: `Bearer ${token}` } });
      return { held: heldPasskey(added), token: added.token };
    },
  };
}

const ROWS: Readonly<Record<Factor, FactorRow>> = {
  totp: {
    setUp: async (token) => {
      const { secret, token: next } = await setUpSecondFactor(subject, token);
      return { held: heldApp(secret), token: next };
    },
    begin: (token) => post(subject.server, "/admin/2fa/setup", { password: PASSWORD }, token),
    shown: async (token) => (await get("/admin/2fa", token)).json<unknown>(),
    amr: ["pwd", "otp", "mfa"],
    events: ["2fa_enabled", "2fa_login_failed", "2fa_replaced"],
  },
  passkey: {
    setUp: async (token) => {
      const { token: next, ...added } = await addPasskey(subject.server, token);
      return { held: heldPasskey(added), token: next };
    },
    begin: (token) => post(subject.server, "/login/passkeys/options", undefined, token),
    shown: async (token) => (await get("/login/passkeys", token)).json<{ passkeys: unknown }>().passkeys,
    amr: ["pwd", "hwk", "user", "mfa"],
    events: ["passkey_added", "passkey_login_failed", "passkey_removed"],
  },
};

let email: string;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.throttles").execute();
  email = `${crypto.randomUUID()}@example.org`;
  await createAccount(subject.identity, email);
});

afterAll(() => subject.close());

const partialToken = () => partialTokenOf(subject.server, email);
const codeOfRefusal = (answer: Answer) => answer.json<{ error?: string }>().error;

async function setUp(factor: Factor) {
  const first = await accessTokenOf(subject.server, email);
  const done = await ROWS[factor].setUp(first);
  return { ...done, first, userId: decodeJwt(done.token).sub ?? "" };
}

async function factorsOf(token: string): Promise<readonly Factor[]> {
  return factorsOfAccount((await get("/login/me", token)).json());
}

test("every kind is in the registry, in the order of the contract", () => {
  expect(Object.keys(FACTOR_KINDS)).toEqual(factorSchema.options);
});

describe.each(factorSchema.options)("%s", (factor) => {
  test("is set up, which ends every other session, and is listed", async () => {
    const { token, first, userId } = await setUp(factor);

    expect(await factorsOf(token)).toEqual([factor]);
    expect((await get("/login/me", first)).statusCode).toBe(401);
    expect(factorsOfAccount((await get(`/admin/users/${userId}`, token)).json())).toEqual([factor]);
  });

  test("is described as its route shows it", async () => {
    const { token, userId } = await setUp(factor);

    const described = await FACTOR_KINDS[factor].describe(subject.database.query, userId, subject.clock.now());
    expect(await ROWS[factor].shown(token)).toEqual(described);
  });

  test("is asked for at the login, and the session says by what it was proved", async () => {
    const { held } = await setUp(factor);

    expect((await held.logInWrongly(await partialToken())).statusCode).toBe(401);
    const answer = await held.logIn(await partialToken());
    expect(answer.statusCode).toBe(200);
    expect(decodeJwt(answer.json<{ access_token: string }>().access_token)).toMatchObject({ amr: ROWS[factor].amr });
  });

  test("is asked for by a step-up, for which the password alone is not enough", async () => {
    const { held, token } = await setUp(factor);

    expect(codeOfRefusal(await post(subject.server, "/step-up", { password: PASSWORD }, token))).toBe(FACTOR_KINDS[factor].missing);
    expect((await held.stepUp(token)).statusCode).toBe(200);
  });

  test.each(factorSchema.options)("is shown before %s is set up beside it or in its place", async (other) => {
    const { held, token } = await setUp(factor);
    subject.clock.forward(1800);

    const refused = factor === "totp" && other === "totp" ? "already_enabled" : "step_up_required";
    expect(codeOfRefusal(await ROWS[other].begin(token))).toBe(refused);
    await held.stepUp(token);
    expect((await ROWS[other].begin(token)).statusCode).toBe(refused === "step_up_required" ? 200 : 409);
  });

  test("is replaced: the old one counts no more", async () => {
    const { held, token } = await setUp(factor);
    await held.stepUp(token);
    const replaced = await held.replace(token);

    expect((await held.logIn(await partialToken())).statusCode).toBe(401);
    expect((await replaced.held.logIn(await partialToken())).statusCode).toBe(200);
    expect(await auditOf(subject)).toEqual(expect.arrayContaining([...ROWS[factor].events]));
  });

  test("is reset: then there is none", async () => {
    const { sub: userId = "" } = decodeJwt(await accessTokenOf(subject.server, email));
    const described = () => FACTOR_KINDS[factor].describe(subject.database.query, userId, subject.clock.now());
    const before = await described();
    await setUp(factor);
    expect(await described()).not.toEqual(before);

    await subject.identity.host.resetSecondFactor({ email, reason: "lost phone" });

    expect(await described()).toEqual(before);
    expect(await factorsOf(await accessTokenOf(subject.server, email))).toEqual([]);
  });
});

test("each kind of code reads a form of its own, and is counted apart", () => {
  const kinds = createCodeKinds({ sealer: ringUnderTest(), clock: subject.clock, window: 1 });
  expect(new Set(kinds.map(({ method }) => method)).size).toBe(kinds.length);
  for (const typed of ["123456", "K7AB-CDEF-GHJK-MNPQ"]) {
    expect(kinds.filter(({ read }) => read(typed) !== undefined)).toHaveLength(1);
  }
});
