import { createServer } from "node:http";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSealer } from "@sightline/foundation/secrets/sealing";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createIdentityDatabase, type IdentityDatabase } from "#testing/identity-database.ts";
import { anchorLine, makeAnchor, readAnchorLine } from "./anchor.ts";
import { listAnchors } from "./anchor.store.ts";
import { appendAudit } from "./audit.store.ts";
import { anchorNow, createAnchors, type AnchorPlaces } from "./keep-anchors.ts";
import { verifyAudit, type Expectations } from "./verify-audit.ts";

const START = new Date("2026-03-01T12:00:00Z");
const RING = { label: "sightline.identity", variable: "ENCRYPTION_KEYS" };
const sealer = createSealer([{ id: "k1", secret: "ring-secret-of-the-tests-0123456789abcdef" }], RING);
const stranger = createSealer([{ id: "k1", secret: "of-somebody-who-has-the-database-alone" }], RING);

let database: IdentityDatabase;
let folder: string;
let now = START;
const clock = { now: () => now };

beforeAll(async () => {
  database = await createIdentityDatabase();
  folder = await mkdtemp(join(tmpdir(), "anchors-"));
});

beforeEach(async () => {
  now = START;
  await empty();
  await database.query.deleteFrom("identity.audit_anchors").execute();
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

async function empty(): Promise<void> {
  await database.query.deleteFrom("identity.audit").execute();
  await database.query
    .updateTable("identity.audit_head")
    .set({ last_id: 0, rows: 0, hash: Buffer.alloc(32), published_at: null })
    .execute();
}

function append(count: number): Promise<void> {
  const event = { event: "login_ok", at: now } as const;
  return database.query.transaction().execute((transaction) => appendAudit(transaction, ...Array.from({ length: count }, () => event)));
}

function anchors(places: Partial<AnchorPlaces> = {}) {
  return createAnchors({ queries: database.query, sealer, clock, log: silentLog, file: undefined, url: undefined, ...places });
}

function verify(expected: Expectations = {}) {
  return verifyAudit({ queries: database.query, sealer, clock }, expected);
}

function later(minutes: number): void {
  now = new Date(now.getTime() + minutes * 60_000);
}

/** What somebody with the whole database can do: a chain of other rows that is right in itself. */
async function makeAnew(count: number): Promise<void> {
  await empty();
  await append(count);
}

describe("a signed end of the chain", () => {
  test("is made when the chain moved, and leaves the audit whole while it grows", async () => {
    const kept = anchors();
    await append(3);
    await kept.run();
    await kept.run();
    await append(2);
    await kept.run();

    expect((await listAnchors(database.query)).map(({ lastId }) => lastId)).toEqual([3, 5]);
    await append(1);
    expect(await verify()).toMatchObject({ intact: true, rows: 6, signedAt: START });
  });

  test.each([5, 9, 3])("finds that the chain was made anew with %i rows", async (rows) => {
    await append(5);
    await anchors().run();
    later(1);
    await makeAnew(rows);

    expect((await verify()).intact).toBe(false);
  });

  test("finds a chain that was emptied", async () => {
    await append(5);
    await anchors().run();
    await empty();

    const verdict = await verify();
    expect(verdict).toMatchObject({ intact: false, firstBrokenId: 1 });
    expect(verdict.problem).toContain("cut off");
  });

  test("that is forged shows as such", async () => {
    await append(5);
    await anchors().run();
    later(1);
    await makeAnew(5);
    const { hash } = await database.query.selectFrom("identity.audit_head").select("hash").executeTakeFirstOrThrow();
    const { seal } = makeAnchor(stranger, { lastId: 5, rows: 5, hash }, now);
    await database.query.updateTable("identity.audit_anchors").set({ hash, seal }).execute();

    const verdict = await verify();
    expect(verdict.intact).toBe(false);
    expect(verdict.problem).toContain("forged");
  });

  test("is missed once the audit is older than a quarter of an hour", async () => {
    await append(5);
    expect((await verify()).intact).toBe(true);
    later(16);

    expect((await verify()).problem).toContain("ever signed");
  });

  test("is not made on top of a past that was rewritten, and its deletion is noticed by who signed it", async () => {
    const kept = anchors();
    await append(5);
    await kept.run();
    await sql`update identity.audit set hash = sha256('x') where id = 5`.execute(database.query);
    await expect(kept.run()).rejects.toThrow("row 5 is not the one that was signed");
    await database.query.deleteFrom("identity.audit_anchors").execute();

    await expect(kept.run()).rejects.toThrow("was deleted");
  });

  test("is kept for a day, then the last of each day", async () => {
    const kept = anchors();
    for (let hour = 0; hour < 48; hour++) {
      await append(1);
      await kept.run();
      later(60);
    }

    // From noon: of the first day the last alone, of the day before now all.
    const days = Map.groupBy(await listAnchors(database.query), ({ at }) => at.toISOString().slice(0, 10));
    expect([...days].map(([day, { length }]) => [day, length])).toEqual([
      ["2026-03-01", 1],
      ["2026-03-02", 13],
      ["2026-03-03", 12],
    ]);
    expect((await verify()).intact).toBe(true);
  });
});

describe("an end that was written down elsewhere", () => {
  test("is appended to a file every hour, by one of two replicas; it finds a database that was taken back", async () => {
    const file = join(folder, "anchors.jsonl");
    const replicas = [anchors({ file }), anchors({ file })];
    for (let round = 0; round < 4; round++) {
      await append(2);
      for (const replica of replicas) {
        await replica.run();
      }
      later(30);
    }
    const lines = (await readFile(file, "utf8")).trim().split("\n");
    const written = lines.map(readAnchorLine).filter((anchor) => anchor !== undefined);

    expect(written.map(({ lastId }) => lastId)).toEqual([2, 6]);
    expect((await verify({ anchors: written })).intact).toBe(true);
    // Back to the first signature, rightly chained and signed.
    await database.query.deleteFrom("identity.audit").where("id", ">", 2).execute();
    await database.query.deleteFrom("identity.audit_anchors").where("last_id", ">", 2).execute();
    const [{ hash } = { hash: Buffer.alloc(32) }] = await listAnchors(database.query);
    await database.query.updateTable("identity.audit_head").set({ last_id: 2, rows: 2, hash }).execute();
    expect((await verify()).intact).toBe(true);
    expect((await verify({ anchors: written })).problem).toContain("Rows 3 to 6");
  });

  test("is posted, and posted again when that failed", async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (part: Buffer) => (body += part.toString()));
      request.on("end", () => {
        bodies.push(body);
        response.writeHead(bodies.length === 1 ? 500 : 204).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // Safe: a server that listens on a port has an address with one.
    const { port } = server.address() as AddressInfo;
    const kept = anchors({ url: `http://127.0.0.1:${port}/anchors?token=x` });
    await append(1);

    await expect(kept.run()).rejects.toThrow("AUDIT_ANCHOR_URL answered 500");
    await kept.run();
    await kept.run();
    server.close();

    expect(bodies.map((body) => readAnchorLine(body)?.lastId)).toEqual([1, 1]);
  });

  test("by hand is the same line, and a line that was changed does not count", async () => {
    await append(2);
    const line = await anchorNow({ queries: database.query, sealer, clock });
    const anchor = readAnchorLine(line);
    expect(anchor === undefined ? "" : anchorLine(anchor)).toBe(line);
    const changed = readAnchorLine(line.replace('"rows":2', '"rows":3'));

    expect(await verify({ anchors: anchor === undefined ? [] : [anchor] })).toMatchObject({ intact: true });
    expect(await verify({ anchors: changed === undefined ? [] : [changed] })).toMatchObject({ intact: false });
    expect(["", "{}", "no JSON"].map(readAnchorLine)).toEqual([undefined, undefined, undefined]);
  });
});

test("a row below all others is found, however low its number", async () => {
  await append(2);
  for (const id of ["-9223372036854775808", "-5", "0"]) {
    await sql`insert into identity.audit (id, at, event, hash) values (${sql.raw(id)}, ${now}::timestamptz, 'login_ok', sha256('x'))`.execute(
      database.query,
    );
    expect((await verify()).intact).toBe(false);
    await sql`delete from identity.audit where id = ${sql.raw(id)}`.execute(database.query);
  }
  expect((await verify()).intact).toBe(true);
});
