import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAccount, createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
import { deleteExpiredThrottles } from "./throttle.store.ts";
import { createThrottle } from "./throttle.ts";
import { createWaitingRoom, realSleep } from "./waiting-room.ts";

let subject: IdentityFixture;

beforeAll(async () => {
  subject = await createIdentityFixture();
  await createAccount(subject.identity, "ada@example.org");
});

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.throttles").execute();
});

afterAll(() => subject.close());

function guess(email = "ada@example.org", ip = "203.0.113.7") {
  return logIn(subject.server, email, "not the password", ip);
}

async function guessTimes(times: number): Promise<void> {
  for (let round = 0; round < times; round++) {
    await guess();
  }
}

describe("guesses at one account from one address", () => {
  test("after five the sixth has to wait a minute, even with the right password", async () => {
    await guessTimes(5);

    const answer = await logIn(subject.server, "ada@example.org");

    expect(answer.statusCode).toBe(429);
    expect(answer.headers["retry-after"]).toBe("60");
    expect(answer.json()).toMatchObject({ error: "too_many_tries" });
  });

  test("each further failure doubles the wait, to a quarter of an hour at the most", async () => {
    await guessTimes(5);

    const waits: number[] = [];
    for (let round = 0; round < 6; round++) {
      const wait = Number((await guess()).headers["retry-after"]);
      waits.push(wait);
      subject.clock.forward(wait);
      expect((await guess()).statusCode).toBe(401);
    }

    expect(waits).toEqual([60, 120, 240, 480, 900, 900]);
  });

  test("while it waits nothing is counted", async () => {
    await guessTimes(5);
    await guessTimes(20);
    subject.clock.forward(60);

    expect((await logIn(subject.server, "ada@example.org")).statusCode).toBe(200);
  });

  test("the right password forgets the failures before it", async () => {
    await guessTimes(4);
    await logIn(subject.server, "ada@example.org");
    await guessTimes(4);

    expect((await logIn(subject.server, "ada@example.org")).statusCode).toBe(200);
  });

  test("a quarter of an hour without any forgets them too", async () => {
    await guessTimes(4);
    subject.clock.forward(15 * 60);
    await guessTimes(4);

    expect((await logIn(subject.server, "ada@example.org")).statusCode).toBe(200);
  });

  test("no other writing of the address gets tries of its own", async () => {
    await createAccount(subject.identity, "mimi@example.org");
    const answers = [];
    // PostgreSQL makes an i of the Turkish İ, JavaScript an i with a dot above.
    for (const email of [
      "MIMI@example.org",
      " mimi@example.org ",
      "mImi@example.org",
      "m\u0130m\u0130@example.org",
      "mim\u0130@example.org",
    ]) {
      await guess(email);
      answers.push((await logIn(subject.server, email)).statusCode);
      await subject.database.query.deleteFrom("identity.throttles").execute();
    }

    expect(answers).toEqual([200, 200, 200, 401, 401]);
  });

  test("the owner elsewhere is not shut out", async () => {
    await guessTimes(5);

    expect((await logIn(subject.server, "ada@example.org", PASSWORD, "203.0.113.8")).statusCode).toBe(200);
  });

  test("an unknown address waits as a known one does", async () => {
    const answers = [];
    for (let round = 0; round < 6; round++) {
      answers.push((await guess("nobody@example.org")).statusCode);
    }

    expect(answers).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test("of twenty at once, over two replicas, five are evaluated", needsRealPostgres, async () => {
    const { server: other } = await subject.replica();

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => logIn(index % 2 === 0 ? subject.server : other, "ada@example.org", "not the password")),
    );

    expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(15);
  });
});

describe("guesses at many accounts from one address", () => {
  test("after fifty within ten minutes it has to wait for their end; the rest of its IPv6 network too", async () => {
    for (let round = 0; round < 50; round++) {
      await guess(`nobody-${round}@example.org`, "2001:db8:1:2::1");
    }

    const answer = await guess("ada@example.org", "2001:db8:1:2:ffff::9");

    expect(answer.statusCode).toBe(429);
    expect(answer.headers["retry-after"]).toBe("600");
    expect((await guess("ada@example.org", "2001:db8:1:3::1")).statusCode).toBe(401);
    subject.clock.forward(600);
    expect((await guess("ada@example.org", "2001:db8:1:2::1")).statusCode).toBe(401);
  });

  test("logins that succeed do not count", async () => {
    for (let round = 0; round < 51; round++) {
      await logIn(subject.server, "ada@example.org");
    }

    expect((await logIn(subject.server, "ada@example.org")).statusCode).toBe(200);
  });
});

function throttleUnderTest() {
  return createThrottle({ queries: subject.database.query, clock: subject.clock, waitingRoom: createWaitingRoom(realSleep) });
}

describe("a try", () => {
  const limit = { tries: 2, windowSeconds: 60 };
  const counter = { name: "test", subject: "x", limit, forgottenBySuccess: false };

  test("that an error of ours kept from being evaluated is given back", async () => {
    const throttle = throttleUnderTest();

    await throttle.take([counter]);
    const second = await throttle.take([counter]);
    await expect(throttle.take([counter])).rejects.toMatchObject({ status: 429 });
    await second.giveBack();

    await expect(throttle.take([counter])).resolves.toBeDefined();
  });

  test("that one counter refuses costs the others nothing", async () => {
    const throttle = throttleUnderTest();
    const wide = { ...counter, name: "wide" };
    await throttle.take([counter]);
    await throttle.take([counter]);

    for (let round = 0; round < 5; round++) {
      await expect(throttle.take([wide, counter])).rejects.toMatchObject({ status: 429 });
    }

    await expect(throttle.take([wide])).resolves.toBeDefined();
  });

  test("leaves neither address nor e-mail address behind, and nothing at all once it has no meaning", async () => {
    await guess();
    const stored = JSON.stringify(await subject.database.query.selectFrom("identity.throttles").selectAll().execute());
    subject.clock.forward(60 * 60);
    await deleteExpiredThrottles(subject.database.query, subject.clock.now());

    expect(stored).not.toMatch(/ada|203\.0/);
    expect(await subject.database.query.selectFrom("identity.throttles").selectAll().execute()).toEqual([]);
  });
});
