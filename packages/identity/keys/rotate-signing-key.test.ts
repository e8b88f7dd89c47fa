import { decodeJwt, decodeProtectedHeader } from "jose";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHousekeeping } from "#housekeeping.ts";
import {
  accessTokenOf,
  auditOf,
  createAccount,
  createIdentityFixture,
  refresh,
  cookieOf,
  logIn,
  SECRETS,
  type IdentityFixture,
} from "#testing/identity-fixture.ts";
import { createSealer } from "./sealed-values.ts";

const MINUTE = 60;
const DAY = 24 * 3600;
const EMAIL = "ada@example.org";

let subject: IdentityFixture;
let firstKid: string;

beforeEach(async () => {
  subject = await createIdentityFixture({ withoutSigningKey: true });
  await subject.identity.start();
  await createAccount(subject.identity, EMAIL);
  [firstKid = ""] = await publishedKids();
});

afterEach(() => subject.close());

async function publishedKids(): Promise<readonly string[]> {
  const answer = await subject.server.inject({ url: "/.well-known/jwks.json" });
  return answer.json<{ keys: { kid: string }[] }>().keys.map(({ kid }) => kid);
}

function keepHouse(): Promise<void> {
  const [, secret = ""] = SECRETS.ENCRYPTION_KEYS.split(":");
  const sealer = createSealer([{ id: "k1", secret }]);
  return createHousekeeping({ queries: subject.database.query, sealer, log: silentLog, clock: subject.clock }).run();
}

async function kidOfNewToken(): Promise<string | undefined> {
  return decodeProtectedHeader(await accessTokenOf(subject.server, EMAIL)).kid;
}

async function statusOf(token: string): Promise<number> {
  return (await subject.server.inject({ url: "/login/me", headers: { authorization: `Bearer ${token}` } })).statusCode;
}

describe("rotating the signing key", () => {
  test("publishes the new key 15 minutes before it signs, and the old one 80 minutes after it stopped to", async () => {
    const { kid, isNew } = await subject.identity.keys.rotateSigningKey();
    expect(isNew).toBe(true);

    subject.clock.forward(MINUTE);
    expect(await publishedKids()).toEqual([kid, firstKid]);
    expect(await kidOfNewToken()).toBe(firstKid);

    subject.clock.forward(14 * MINUTE);
    expect(await kidOfNewToken()).toBe(kid);

    subject.clock.forward(79 * MINUTE);
    await keepHouse();
    expect(await publishedKids()).toEqual([kid, firstKid]);

    subject.clock.forward(2 * MINUTE);
    await keepHouse();
    expect(await publishedKids()).toEqual([kid]);
    expect(await kidOfNewToken()).toBe(kid);
  });

  test("no cache may keep the keys for longer than a new one is published ahead", async () => {
    const answer = await subject.server.inject({ url: "/.well-known/jwks.json" });
    const [, seconds] = /max-age=(\d+)/.exec(String(answer.headers["cache-control"])) ?? [];
    // Verifiers may keep what a cache gave them for ten minutes more.
    expect(Number(seconds) + 10 * MINUTE).toBeLessThanOrEqual(15 * MINUTE);
  });

  test("a token of the old key counts until its own hour is over, and nobody has to log in again", async () => {
    await subject.identity.keys.rotateSigningKey();
    subject.clock.forward(14 * MINUTE);
    const login = await logIn(subject.server, EMAIL);
    const { access_token: token } = login.json<{ access_token: string }>();
    expect(decodeProtectedHeader(token).kid).toBe(firstKid);

    subject.clock.forward(59 * MINUTE);
    await keepHouse();
    expect(await statusOf(token)).toBe(200);
    const refreshed = await refresh(subject.server, cookieOf(login));
    expect(await statusOf(refreshed.json<{ access_token: string }>().access_token)).toBe(200);
    subject.clock.forward(2 * MINUTE);
    expect(await statusOf(token)).toBe(401);
  });

  test("a retired key loses its private half, and is retired once", async () => {
    await subject.identity.keys.rotateSigningKey();
    subject.clock.forward(95 * MINUTE + 1);
    await keepHouse();

    const rows = await subject.database.query.selectFrom("identity.signing_keys").selectAll().where("kid", "=", firstKid).execute();
    expect(rows).toMatchObject([{ private_key: "", retired_at: subject.clock.now() }]);
    await keepHouse();
    expect(await subject.database.query.selectFrom("identity.signing_keys").selectAll().where("kid", "=", firstKid).execute()).toEqual(
      rows,
    );
  });

  test("is in the audit with the key's name, from when on it signs, and no more of it", async () => {
    const { kid, activeFrom } = await subject.identity.keys.rotateSigningKey();

    const rows = await subject.database.query.selectFrom("identity.audit").selectAll().where("event", "=", "keys_rotated").execute();
    expect(rows.map(({ details }) => details)).toEqual([{ what: "signing_key", kid, active_from: activeFrom.toISOString() }]);
  });

  test("a second time while the new key waits makes no other and answers the waiting one", async () => {
    const first = await subject.identity.keys.rotateSigningKey();
    const second = await subject.identity.keys.rotateSigningKey();

    expect(second).toEqual({ ...first, isNew: false });
    subject.clock.forward(15 * MINUTE);
    expect((await subject.identity.keys.rotateSigningKey()).isNew).toBe(true);
  });

  test("two replicas at once make one new key", needsRealPostgres, async () => {
    const replicas = await Promise.all([subject.replica(), subject.replica()]);

    const rotations = await Promise.all(replicas.map(({ identity }) => identity.keys.rotateSigningKey()));

    expect(new Set(rotations.map(({ kid }) => kid)).size).toBe(1);
    expect(rotations.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect((await auditOf(subject)).filter((event) => event === "keys_rotated")).toHaveLength(1);
  });

  test("the keys and their states are told, newest first", async () => {
    const { kid } = await subject.identity.keys.rotateSigningKey();
    const before = await subject.identity.keys.status();
    subject.clock.forward(15 * MINUTE);
    const after = await subject.identity.keys.status();

    expect(before.signing.map((key) => [key.kid, key.state])).toEqual([
      [kid, "next"],
      [firstKid, "signs"],
    ]);
    expect(after.signing.map((key) => [key.kid, key.state])).toEqual([
      [kid, "signs"],
      [firstKid, "verifies"],
    ]);
  });
});

describe("housekeeping", () => {
  test("rotates a key that has signed for 90 days, and not a day earlier", async () => {
    subject.clock.forward(89 * DAY);
    await keepHouse();
    expect(await publishedKids()).toEqual([firstKid]);

    subject.clock.forward(DAY);
    await keepHouse();
    subject.clock.forward(MINUTE);
    expect(await publishedKids()).toHaveLength(2);
    await keepHouse();
    expect(await publishedKids()).toHaveLength(2);
  });

  test("of two replicas at once makes one new key", needsRealPostgres, async () => {
    subject.clock.forward(91 * DAY);
    await Promise.all([keepHouse(), keepHouse()]);
    subject.clock.forward(MINUTE);
    expect(await publishedKids()).toHaveLength(2);
  });

  test("keeps a revoked session that has expired until the feed has told of it for long enough", async () => {
    const token = await accessTokenOf(subject.server, EMAIL);
    const id = String(decodeJwt(token)["sid"]);
    await subject.database.query.updateTable("identity.sessions").set({ expires_at: subject.clock.now() }).where("id", "=", id).execute();
    const rows = () => subject.database.query.selectFrom("identity.sessions").select("id").where("id", "=", id).execute();

    subject.clock.forward(3600);
    await keepHouse();
    expect(await rows()).toHaveLength(1);
    subject.clock.forward(3600);
    await keepHouse();
    expect(await rows()).toEqual([]);
  });
});
