import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { call, setUpSecondFactor } from "#testing/second-factor-setup.ts";
import { codeAt } from "#testing/authenticator.ts";
import { createAccount, createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";

const EMAIL = "ada@example.org";
/** Guesses from so many places at once are more than the room for one account holds. */
const FLOOD = 300;
const PATIENCE = { timeout: 60_000, interval: 100 };

let subject: IdentityFixture;
let asleep = 0;
let wake: () => void;
let night: Promise<void>;

beforeAll(async () => {
  const sleep = async (_milliseconds: number, signal: AbortSignal | undefined) => {
    asleep += 1;
    await Promise.race([night, new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("gone"))))]);
  };
  subject = await createIdentityFixture({ sleep });
  await createAccount(subject.identity, EMAIL);
});

beforeEach(async () => {
  fallAsleep();
  await subject.database.query.deleteFrom("identity.throttles").execute();
  await subject.database.query.deleteFrom("identity.known_devices").execute();
});

afterAll(() => subject.close());

function fallAsleep(): void {
  asleep = 0;
  night = new Promise((resolve) => (wake = resolve));
}

type Answer = Awaited<ReturnType<typeof logIn>>;

function deviceOf(answer: Answer): string {
  const cookie = answer.cookies.find(({ name }) => name === "__Host-sightline_device");
  return cookie === undefined ? "" : `${cookie.name}=${cookie.value}`;
}

function logInOn(device: string, password = PASSWORD, server: HttpServer = subject.server, remoteAddress = "203.0.113.7", email = EMAIL) {
  return server.inject({
    method: "POST",
    url: "/login/access-token",
    headers: { cookie: device },
    payload: { email, password },
    remoteAddress,
  });
}

async function spendTheAccountsTries(): Promise<void> {
  await logIn(subject.server, EMAIL, "not the password", "198.51.100.1");
  const hourFromNow = new Date(subject.clock.now().getTime() + 3600_000);
  await subject.database.query.updateTable("identity.throttles").set({ tries: 1000 }).where("expires_at", "=", hourFromNow).execute();
}

const tokenOf = (answer: Answer) => answer.json<{ access_token: string }>().access_token;

describe("while strangers guess at an account from three hundred networks, over two replicas", () => {
  test("its owner logs in where they did before, and confirms the password where they are signed in, at once", async () => {
    const first = await logIn(subject.server, EMAIL);
    const token = tokenOf(first);
    const { server: other } = await subject.replica();
    await spendTheAccountsTries();
    const flood = Array.from({ length: FLOOD }, (_, index) =>
      logIn(index % 2 === 0 ? subject.server : other, EMAIL, "not the password", `198.18.${Math.floor(index / 250)}.${index % 250}`),
    );
    await vi.waitFor(() => expect(asleep).toBe(FLOOD), PATIENCE);

    const second = await logInOn(deviceOf(first));
    const third = await logInOn(deviceOf(second), PASSWORD, other, "192.0.2.9");
    const stepUp = await call(subject.server, token, "/step-up", { password: PASSWORD });
    const password = await call(other, token, "/login/password", { current_password: PASSWORD, new_password: `${PASSWORD} x` });
    await call(other, tokenOf(password), "/login/password", { current_password: `${PASSWORD} x`, new_password: PASSWORD });

    expect([second, third, stepUp, password].map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(asleep).toBe(FLOOD);
    wake();
    expect((await Promise.all(flood)).every(({ statusCode }) => statusCode === 401)).toBe(true);
  }, 120_000);

  test("its owner gets a chair on a new device too, and whoever tried more often goes", async () => {
    const addresses = Array.from({ length: 200 }, (_, index) => `198.18.0.${index}`);
    const guesses = () => addresses.map((ip) => logIn(subject.server, EMAIL, "not the password", ip));
    wake();
    await Promise.all(guesses());
    await spendTheAccountsTries();
    fallAsleep();
    const flood = guesses();
    await vi.waitFor(() => expect(asleep).toBe(200), PATIENCE);

    const owner = logIn(subject.server, EMAIL, PASSWORD, "203.0.113.7");
    await vi.waitFor(() => expect(asleep).toBe(201), PATIENCE);
    wake();

    expect((await owner).statusCode).toBe(200);
    const answers = (await Promise.all(flood)).map(({ statusCode }) => statusCode);
    expect(answers.filter((status) => status === 401)).toHaveLength(199);
    expect(answers.filter((status) => status === 429)).toHaveLength(1);
  }, 120_000);
});

describe("a known device", () => {
  test("has five tries of its own, then a stranger's: who is known is never worse off, and a stranger's guesses are not among them", async () => {
    const device = deviceOf(await logIn(subject.server, EMAIL));
    for (let round = 0; round < 6; round++) {
      await logIn(subject.server, EMAIL, "not the password", "192.0.2.8");
    }
    const guess = async (ip: string) => (await logInOn(device, "not the password", subject.server, ip)).statusCode;
    const answers: number[] = [];
    for (let round = 0; round < 11; round++) {
      answers.push(await guess("203.0.113.7"));
    }
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    // A thief of the cookie has used up both elsewhere; the owner is where they are.
    expect((await logInOn(device, PASSWORD, subject.server, "192.0.2.9")).statusCode).toBe(200);
  });

  test("that a thief of its cookie logs in to their own account with stays its owner's", async () => {
    await createAccount(subject.identity, "thief@example.org");
    const stolen = deviceOf(await logIn(subject.server, EMAIL));
    const thiefs = deviceOf(await logInOn(stolen, PASSWORD, subject.server, "192.0.2.66", "thief@example.org"));
    await spendTheAccountsTries();
    wake();
    const waitsOf = async (device: string) => {
      asleep = 0;
      expect((await logInOn(device)).statusCode).toBe(200);
      return asleep;
    };
    expect(await waitsOf(stolen)).toBe(0);
    // The owner's login has replaced the token that the thief still holds.
    expect(await waitsOf(thiefs)).toBe(1);
  });

  test("is one to the account that logged in there alone, and each login makes the token before it useless", async () => {
    await createAccount(subject.identity, "eve@example.org");
    const eves = deviceOf(await logIn(subject.server, "eve@example.org", PASSWORD, "192.0.2.1"));
    const old = deviceOf(await logIn(subject.server, EMAIL, PASSWORD, "192.0.2.2"));
    const current = deviceOf(await logInOn(old));
    await spendTheAccountsTries();
    wake();

    const waitsOf = async (device: string) => {
      asleep = 0;
      expect((await logInOn(device, PASSWORD, subject.server, "192.0.2.3")).statusCode).toBe(200);
      return asleep;
    };
    expect([await waitsOf(eves), await waitsOf(old), await waitsOf(current)]).toEqual([1, 1, 0]);
  });

  test("that two accounts share stays one to both, whoever logs in; of a seventh it forgets the first", async () => {
    const first = deviceOf(await logIn(subject.server, EMAIL));
    const both = deviceOf(await logInOn(first, PASSWORD, subject.server, "192.0.2.1", "eve@example.org"));
    await spendTheAccountsTries();
    const again = deviceOf(await logInOn(both));
    const last = deviceOf(await logInOn(again, PASSWORD, subject.server, "192.0.2.1", "eve@example.org"));
    expect((await logInOn(last)).statusCode).toBe(200);
    expect(asleep).toBe(0);
    expect(last.split(".")).toHaveLength(2);

    wake();
    let crowded = last;
    for (const name of ["c", "d", "e", "f", "g"]) {
      await createAccount(subject.identity, `${name}@example.org`);
      crowded = deviceOf(await logInOn(crowded, PASSWORD, subject.server, "192.0.2.1", `${name}@example.org`));
    }
    expect(crowded.split(".")).toHaveLength(5);
    await logInOn(crowded);
    expect(asleep).toBe(1);
  });

  test("is a stranger again once its owner ends all other sessions, and after 180 days", async () => {
    const lost = deviceOf(await logIn(subject.server, EMAIL));
    const here = await logIn(subject.server, EMAIL);
    await subject.server.inject({
      method: "DELETE",
      url: "/login/sessions",
      headers: { authorization: `Bearer ${tokenOf(here)}`, cookie: deviceOf(here) },
    });
    await spendTheAccountsTries();
    wake();

    await logInOn(deviceOf(here));
    expect(asleep).toBe(0);
    await logInOn(lost);
    expect(asleep).toBe(1);
    const kept = await subject.database.query.selectFrom("identity.known_devices").select("expires_at").orderBy("expires_at").execute();
    expect(kept[0]?.expires_at.getTime()).toBe(subject.clock.now().getTime() + 180 * 86_400_000);
  });

  test("is remembered after the second factor alone, and its token is stored nowhere", async () => {
    const email = "bea@example.org";
    await createAccount(subject.identity, email);
    const { secret } = await setUpSecondFactor(subject, tokenOf(await logIn(subject.server, email)));
    subject.clock.forward(60);
    const firstStep = await logIn(subject.server, email);
    const secondStep = await subject.server.inject({
      method: "POST",
      url: "/login/verify-2fa",
      payload: { partial_token: firstStep.json<{ partial_token: string }>().partial_token, code: codeAt(secret, subject.clock.now()) },
    });

    expect(deviceOf(firstStep)).toBe("");
    const device = deviceOf(secondStep);
    expect(device).not.toBe("");
    const stored = await subject.database.query.selectFrom("identity.known_devices").select("token_hash").execute();
    expect(stored.some(({ token_hash: hash }) => device.includes(hash.toString("base64url")))).toBe(false);
  });

  test("has thirty tries at the second step, by a name that no login renews; then a stranger's", async () => {
    const email = "cay@example.org";
    await createAccount(subject.identity, email);
    const { secret } = await setUpSecondFactor(subject, tokenOf(await logIn(subject.server, email)));
    const secondStep = async (device: string, code: string, ip: string) => {
      const first = await logInOn(device, PASSWORD, subject.server, "192.0.2.5", email);
      const payload = { partial_token: first.json<{ partial_token: string }>().partial_token, code };
      return subject.server.inject({ method: "POST", url: "/login/verify-2fa", headers: { cookie: device }, payload, remoteAddress: ip });
    };
    const logInTwice = async (device: string) => {
      subject.clock.forward(60);
      return deviceOf(await secondStep(device, codeAt(secret, subject.clock.now()), "192.0.2.5"));
    };
    const device = await logInTwice("");
    const triesBy = async () => {
      const rows = await subject.database.query.selectFrom("identity.throttles").select("tries").where("tries", ">", 0).execute();
      return rows.map(({ tries }) => tries);
    };
    await subject.database.query.deleteFrom("identity.throttles").execute();
    await secondStep(device, "AAAA-AAAA-AAAA-AAAA", "192.0.2.5");
    expect(await triesBy()).toEqual([1]);
    const renewed = await logInTwice(device);
    await secondStep(renewed, "AAAA-AAAA-AAAA-AAAA", "192.0.2.5");
    expect(await triesBy()).toEqual([2]);

    const useUp = () =>
      subject.database.query
        .updateTable("identity.throttles")
        .set((row) => ({ tries: 30, blocked_until: row.ref("expires_at") }))
        .execute();
    await useUp();
    expect((await secondStep(renewed, "AAAA-AAAA-AAAA-AAAA", "192.0.2.5")).statusCode).toBe(401);
    await useUp();
    expect((await secondStep(renewed, "AAAA-AAAA-AAAA-AAAA", "192.0.2.5")).statusCode).toBe(429);
    // Whoever has an account has no lane of their own at another's second step.
    const strangers = deviceOf(await logIn(subject.server, EMAIL));
    expect((await secondStep(strangers, "AAAA-AAAA-AAAA-AAAA", "192.0.2.5")).statusCode).toBe(429);
  });
});
