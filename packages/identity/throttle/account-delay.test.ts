import { once } from "node:events";
import { connect } from "node:net";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createAccount, createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
import { strangersPasswordCounters } from "./counters.ts";
import type { Sleep } from "./waiting-room.ts";

const EMAIL = "ada@example.org";

let subject: IdentityFixture;
let waits: number[];
let whileAsleep: (signal: AbortSignal | undefined) => Promise<unknown>;

const sleep: Sleep = (milliseconds, signal) => {
  waits.push(milliseconds);
  return whileAsleep(signal);
};

beforeAll(async () => {
  subject = await createIdentityFixture({ sleep });
  await createAccount(subject.identity, EMAIL);
});

beforeEach(async () => {
  waits = [];
  whileAsleep = async () => undefined;
  await subject.database.query.deleteFrom("identity.throttles").execute();
});

afterAll(() => subject.close());

/** A machine that runs much else needs its time for ten password hashes. */
const PATIENCE = { timeout: 20_000 };

/** Nobody's own address: an attacker who has as many as there are tries. */
function elsewhere(index: number): string {
  return `198.18.${Math.floor(index / 250)}.${(index % 250) + 1}`;
}

function guess(index: number, email = EMAIL, server: HttpServer = subject.server) {
  return logIn(server, email, "not the password", elsewhere(index));
}

/** Spends tries as guesses from everywhere would, without a hundred password hashes. */
async function spend(tries: number, email = EMAIL): Promise<void> {
  await guess(0, email);
  const rows = subject.database.query.selectFrom("identity.throttles").select(["key", "expires_at"]);
  const [hour] = (await rows.execute()).filter(({ expires_at: end }) => end.getTime() - subject.clock.now().getTime() === 3600_000);
  await subject.database.query
    .updateTable("identity.throttles")
    .set({ tries })
    .where("key", "=", hour?.key ?? "")
    .execute();
}

async function failures(): Promise<number> {
  const rows = await subject.database.query.selectFrom("identity.audit").select("id").where("event", "=", "login_failed").execute();
  return rows.length;
}

async function triesCounted(): Promise<readonly number[]> {
  const rows = await subject.database.query.selectFrom("identity.throttles").select("tries").orderBy("expires_at", "desc").execute();
  return rows.map(({ tries }) => tries);
}

test("the counters are those of the table", () => {
  expect(strangersPasswordCounters(EMAIL, "203.0.113.7").map(({ name, limit }) => ({ name, ...limit }))).toEqual([
    { name: "password-account-network", tries: 5, windowSeconds: 900, pause: { firstSeconds: 60, mostSeconds: 900 } },
    { name: "password-network", tries: 50, windowSeconds: 600 },
    { name: "password-account", tries: 100, windowSeconds: 3600, delay: { firstSeconds: 1, mostSeconds: 4 } },
  ]);
});

describe("guesses at one account from everywhere", () => {
  test("a hundred in an hour are evaluated at once, each further one later than the one before, to four seconds", async () => {
    await spend(99);

    expect((await guess(1)).statusCode).toBe(401);
    expect(waits).toEqual([]);
    for (let index = 2; index < 8; index++) {
      expect((await guess(index)).statusCode).toBe(401);
    }

    expect(waits).toEqual([1000, 2000, 4000, 4000, 4000, 4000]);
  });

  test("never shut the owner out, who waits like anyone and is in", async () => {
    await spend(5000);

    const answer = await logIn(subject.server, EMAIL);

    expect(answer.statusCode).toBe(200);
    expect(waits).toEqual([4000]);
  });

  test("an hour later nobody waits any more", async () => {
    await spend(5000);
    subject.clock.forward(3600);

    expect((await guess(1)).statusCode).toBe(401);
    expect(waits).toEqual([]);
  });

  test("logins that succeed do not count", async () => {
    await spend(100);
    for (let round = 0; round < 3; round++) {
      await logIn(subject.server, EMAIL);
    }

    // Each was the hundred and first.
    expect(waits).toEqual([1000, 1000, 1000]);
  });

  test("an address without an account waits alike", async () => {
    await spend(103, "nobody@example.org");

    expect((await guess(1, "nobody@example.org")).statusCode).toBe(401);
    expect((await guess(2, " NOBODY@example.org")).statusCode).toBe(401);
    expect(waits).toEqual([4000, 4000]);
  });

  test("of which a site of IPv6 has twenty, however many networks it has", async () => {
    const answers: number[] = [];
    for (let index = 0; index < 22; index++) {
      answers.push((await logIn(subject.server, EMAIL, "not the password", `2001:db8:7:${index}::1`)).statusCode);
    }

    expect(answers).toEqual([...Array.from({ length: 20 }, () => 401), 429, 429]);
    expect((await logIn(subject.server, EMAIL, PASSWORD, "2001:db8:8::1")).statusCode).toBe(200);
  });

  test("count once over two replicas, at once", needsRealPostgres, async () => {
    const { server: other } = await subject.replica();
    await spend(96);

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => guess(index + 1, EMAIL, index % 2 === 0 ? subject.server : other)),
    );

    expect(answers.every(({ statusCode }) => statusCode === 401)).toBe(true);
    expect(waits.toSorted((one, another) => one - another)).toEqual([1000, 2000, 4000, ...Array.from({ length: 13 }, () => 4000)]);
    expect((await triesCounted())[0]).toBe(116);
  });
});

describe("while someone waits", () => {
  test("nothing of the database is held", needsRealPostgres, async () => {
    const states: string[] = [];
    whileAsleep = async () => {
      const { rows } = await subject.database.pool.query<{ state: string }>(
        "select state from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
      states.push(...rows.map(({ state }) => state));
      expect(subject.database.pool.waitingCount).toBe(0);
      expect(subject.database.pool.idleCount).toBe(subject.database.pool.totalCount);
    };
    await spend(200);

    expect((await guess(1)).statusCode).toBe(401);
    expect(waits).toEqual([4000]);
    expect(states.filter((state) => state !== "idle")).toEqual([]);
  });

  test("a client that hangs up is not evaluated, and its try is given back", async () => {
    const signals: AbortSignal[] = [];
    whileAsleep = async (signal) => {
      if (signal !== undefined) {
        signals.push(signal);
        await once(signal, "abort");
        throw signal.reason;
      }
    };
    await spend(200);
    const before = await triesCounted();
    const failed = await failures();
    const address = await subject.server.listen({ host: "127.0.0.1", port: 0 });
    const socket = connect(Number(new URL(address).port), "127.0.0.1");
    const body = JSON.stringify({ email: EMAIL, password: "not the password" });
    socket.write(
      `POST /login/access-token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await vi.waitFor(() => expect(signals).toHaveLength(1), PATIENCE);
    expect(signals[0]?.aborted).toBe(false);

    socket.destroy();

    await vi.waitFor(async () => expect((await triesCounted())[0]).toBe(before[0]), PATIENCE);
    expect(signals[0]?.aborted).toBe(true);
    expect(await failures()).toBe(failed);
  });
});
