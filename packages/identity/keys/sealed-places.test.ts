import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { createAccount, createIdentityFixture, SECRETS, type IdentityFixture } from "#testing/identity-fixture.ts";
import { addOtherSealedValues } from "#testing/sealed-values.ts";
import { accessTokenWithCodeOf, enableSecondFactor } from "#testing/second-factor.ts";
import * as ring from "@sightline/foundation/secrets/reseal";
import { sealedPlaces } from "./sealed-places.ts";
import { createSealer, type Sealer } from "./sealed-values.ts";

const OLD = { id: "k1", secret: SECRETS.ENCRYPTION_KEYS.slice("k1:".length) };
const NEW = { id: "k2", secret: "another-secret-0123456789-0123456789" };
const oldRing = createSealer([OLD]);
const bothKeys = createSealer([NEW, OLD]);
const SECRET = "an authenticator's secret";

let subject: IdentityFixture;

beforeEach(async () => {
  subject = await createIdentityFixture();
  await subject.identity.start();
});

afterEach(() => subject.close());

function dependencies(sealer: Sealer = bothKeys) {
  return { queries: subject.database.query, sealer, clock: subject.clock };
}

type Dependencies = Parameters<typeof sealedPlaces>[0];

const describeRing = (given: Dependencies) => ring.describeRing(given.sealer.keyIds, sealedPlaces(given));
const resealAll = (given: Dependencies) => ring.resealAll(given.sealer, sealedPlaces(given));

/** Accounts with a sealed second factor, as a tenant has them. */
async function addUsers(count: number): Promise<readonly string[]> {
  const tenant = await subject.identity.ensureTenant("many");
  const now = subject.clock.now();
  const ids = Array.from({ length: count }, () => randomUUID());
  const rows = ids.map((id) => ({
    id,
    tenant_id: tenant.id,
    email: `${id}@example.org`,
    folded_email: `${id}@example.org`,
    name: "Ada",
    role: "admin" as const,
    password_hash: "none",
    password_changed_at: now,
    must_change_password: false,
    created_at: now,
    totp_enabled: true,
    totp_secret: sealFor(id, oldRing),
  }));
  await subject.database.query.insertInto("identity.users").values(rows).execute();
  return ids;
}

function sealFor(userId: string, sealer: Sealer): string {
  return sealer.seal(Buffer.from(SECRET), { purpose: "users.totp_secret", subject: userId });
}

async function secretOf(id: string): Promise<string> {
  const row = await subject.database.query
    .selectFrom("identity.users")
    .select("totp_secret")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return row.totp_secret ?? "";
}

const addOneOfEachOther = async (userId: string) => addOtherSealedValues(subject, oldRing, userId);

function rotations() {
  return subject.database.query.selectFrom("identity.audit").select("details").where("event", "=", "keys_rotated").orderBy("id").execute();
}

describe("the state of the ring", () => {
  test("tells for each key how many values of each kind it has sealed, and of keys that are missing", async () => {
    const [id = ""] = await addUsers(3);
    await addOneOfEachOther(id);

    expect(await describeRing(dependencies())).toEqual([
      {
        id: "k2",
        use: "seals",
        rows: {
          "signing_keys.private_key": 0,
          "users.totp_secret": 0,
          "notices.sealed_link": 0,
          "audit_anchors.seal": 0,
          "oauth_states.payload": 0,
          "sso_providers.client_secret": 0,
          "sso_attempts.payload": 0,
        },
      },
      {
        id: "k1",
        use: "opens",
        rows: {
          "signing_keys.private_key": 1,
          "users.totp_secret": 3,
          "notices.sealed_link": 1,
          "audit_anchors.seal": 1,
          "oauth_states.payload": 1,
          "sso_providers.client_secret": 1,
          "sso_attempts.payload": 1,
        },
      },
    ]);
    expect(await describeRing(dependencies(createSealer([NEW])))).toMatchObject([
      { id: "k2", use: "seals" },
      { id: "k1", use: "missing", rows: { "users.totp_secret": 3 } },
    ]);
  });

  test("counts every column in which something sealed is found", async () => {
    const [id = ""] = await addUsers(1);
    await addOneOfEachOther(id);
    const { rows: columns } = await sql<{ table: string; column: string }>`
      select table_name as "table", column_name as "column" from information_schema.columns
      where table_schema = 'identity' and data_type = 'text'`.execute(subject.database.query);
    const found: string[] = [];
    for (const { table, column } of columns) {
      const { rows } = await sql`select 1 from ${sql.table(`identity.${table}`)} where ${sql.ref(column)} like 'v1.k1.%'`.execute(
        subject.database.query,
      );
      found.push(...(rows.length > 0 ? [`${table}.${column}`] : []));
    }
    const [, old] = await describeRing(dependencies());
    expect(Object.keys(old?.rows ?? {}).toSorted()).toEqual(found.toSorted());
  });
});

describe("sealing everything anew", () => {
  test("moves all values to the first key, which open as before, and says how many in the audit", async () => {
    const ids = await addUsers(120);
    await addOneOfEachOther(ids[0] ?? "");

    const { resealed, unopened } = await resealAll(dependencies());

    expect(resealed).toEqual({
      "signing_keys.private_key": 1,
      "users.totp_secret": 120,
      "notices.sealed_link": 1,
      "audit_anchors.seal": 1,
      "oauth_states.payload": 1,
      "sso_providers.client_secret": 1,
      "sso_attempts.payload": 1,
    });
    expect(unopened).toEqual([]);
    const onlyNew = createSealer([NEW]);
    for (const id of ids) {
      expect(onlyNew.open(await secretOf(id), { purpose: "users.totp_secret", subject: id }).toString()).toBe(SECRET);
    }
    expect((await rotations()).map(({ details }) => details)).toEqual([
      { what: "signing_keys.private_key", key: "k2", rows: "1" },
      { what: "users.totp_secret", key: "k2", rows: "50" },
      { what: "users.totp_secret", key: "k2", rows: "50" },
      { what: "users.totp_secret", key: "k2", rows: "20" },
      { what: "notices.sealed_link", key: "k2", rows: "1" },
      { what: "audit_anchors.seal", key: "k2", rows: "1" },
      { what: "oauth_states.payload", key: "k2", rows: "1" },
      { what: "sso_providers.client_secret", key: "k2", rows: "1" },
      { what: "sso_attempts.payload", key: "k2", rows: "1" },
    ]);
  });

  test("a second time does nothing and writes nothing", async () => {
    await addUsers(2);
    await resealAll(dependencies());
    const before = await rotations();

    const { resealed } = await resealAll(dependencies());

    expect(Object.values(resealed)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(await rotations()).toEqual(before);
  });

  test("is taken up again where it was broken off", async () => {
    await addUsers(120);
    let left = 70;
    const failing: Sealer = {
      ...bothKeys,
      seal: (...value) => {
        left -= 1;
        if (left < 0) {
          throw new Error("power cut");
        }
        return bothKeys.seal(...value);
      },
    };
    await expect(resealAll(dependencies(failing))).rejects.toThrow("power cut");
    expect(await describeRing(dependencies())).toMatchObject([
      { rows: { "users.totp_secret": 50 } },
      { rows: { "users.totp_secret": 70 } },
    ]);

    expect((await resealAll(dependencies())).resealed).toMatchObject({ "users.totp_secret": 70 });
    expect(await describeRing(dependencies())).toMatchObject([{}, { use: "opens", rows: { "users.totp_secret": 0 } }]);
  });

  test("what someone changes meanwhile is kept as they made it", async () => {
    const [changed = "", deleted = "", untouched = ""] = await addUsers(3);
    const theirs = sealFor(changed, oldRing);
    // Between the reading of the values and their replacement.
    const changing = {
      ...dependencies(),
      clock: subject.clock,
      queries: subject.database.query.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          if (result.rows.some((row) => row["id"] === changed)) {
            const users = subject.database.query;
            await users.updateTable("identity.users").set({ totp_secret: theirs }).where("id", "=", changed).execute();
            await users.updateTable("identity.users").set({ totp_secret: null, totp_enabled: false }).where("id", "=", deleted).execute();
          }
          return result;
        },
      }),
    };

    const { resealed } = await resealAll(changing);

    expect(resealed).toMatchObject({ "users.totp_secret": 1 });
    expect(await secretOf(changed)).toBe(theirs);
    expect(await secretOf(deleted)).toBe("");
    expect(await secretOf(untouched)).toMatch(/^v1\.k2\./);
  });

  test("a value that can't be opened is named with the reason and left alone, and the others go on", async () => {
    const [moved = "", foreign = "", good = ""] = await addUsers(3);
    const stranger = createSealer([{ id: "k0", secret: "gone-secret-0123456789-0123456789-01" }]);
    const update = async (id: string, secret: string) =>
      subject.database.query.updateTable("identity.users").set({ totp_secret: secret }).where("id", "=", id).execute();
    const swapped = await secretOf(good);
    await update(moved, swapped);
    await update(foreign, sealFor(foreign, stranger));

    const { resealed, unopened } = await resealAll(dependencies());

    expect(resealed).toMatchObject({ "users.totp_secret": 1 });
    expect(new Map(unopened.map(({ id, reason }) => [id, reason]))).toEqual(
      new Map([
        [moved, expect.stringContaining("does not open with the key k1")],
        [foreign, expect.stringContaining("sealed with the key k0, which ENCRYPTION_KEYS does not hold")],
      ]),
    );
    expect(await secretOf(moved)).toBe(swapped);
    expect(JSON.stringify(unopened)).not.toContain(swapped);
  });

  test("two at once seal every value once", needsRealPostgres, async () => {
    await addUsers(60);
    const both = await Promise.all([resealAll(dependencies()), resealAll(dependencies())]);
    expect(both.map(({ resealed }) => resealed["users.totp_secret"] ?? 0).reduce((sum, rows) => sum + rows)).toBe(60);
    expect(both.flatMap(({ unopened }) => unopened)).toEqual([]);
  });
});

test("a key is exchanged step by step while people log in with their second factors, and none of them fails", async () => {
  const emails = ["ada@example.org", "bob@example.org", "cyn@example.org"];
  const secrets = new Map<string, string>();
  for (const email of emails) {
    await createAccount(subject.identity, email);
    secrets.set(email, (await enableSecondFactor(subject, email)).secret);
  }
  const logInAll = async (server: HttpServer) => {
    subject.clock.forward(30);
    const logIns = emails.map((email) => accessTokenWithCodeOf({ server, clock: subject.clock }, email, secrets.get(email) ?? ""));
    return Promise.all(logIns);
  };
  const opens = async (server: HttpServer, token: string | undefined) =>
    (await server.inject({ url: "/login/me", headers: { authorization: `Bearer ${token}` } })).statusCode;
  const [before] = await logInAll(subject.server);
  expect(await opens(subject.server, before)).toBe(200);

  const both = await subject.replica({ environment: { ENCRYPTION_KEYS: `k2:${NEW.secret},k1:${OLD.secret}` } });
  await both.identity.start();
  const [during] = await Promise.all([logInAll(both.server), both.identity.keys.reseal()]);
  expect(await Promise.all(during.map((token) => opens(both.server, token)))).toEqual([200, 200, 200]);
  const [, old] = (await both.identity.keys.status()).ring;
  expect(Object.values(old?.rows ?? {})).toEqual([0, 0, 0, 0, 0, 0, 0]);

  const after = await subject.replica({ environment: { ENCRYPTION_KEYS: `k2:${NEW.secret}` } });
  await after.identity.start();
  const tokens = await logInAll(after.server);
  expect(await Promise.all([before, ...tokens].map((token) => opens(after.server, token)))).toEqual([200, 200, 200, 200]);
});
