import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AUDIT_START, auditSealer, createAuditFixture, type AuditFixture } from "#testing/audit-fixture.ts";
import { anchorLine, readAnchorLine } from "./anchor.ts";
import { anchorNow } from "./keep-anchors.ts";
import { createOutsideAnchor } from "./outside-anchor.ts";
import { silentLog } from "@sightline/foundation/testing/silent-log";

let audit: AuditFixture;

beforeAll(async () => {
  audit = await createAuditFixture();
});

beforeEach(async () => {
  await audit.reset();
  await audit.host().run();
});

afterAll(() => audit.close());

async function signedRows(): Promise<readonly number[]> {
  return (await audit.anchors()).map(({ last_id: lastId }) => lastId);
}

describe("a signed end of the chain", () => {
  test("is made when the chain moved, and leaves the audit whole while it grows", async () => {
    const host = audit.host();
    await audit.append(3);
    await host.run();
    await host.run();
    await audit.append(2);
    await host.run();

    expect(await signedRows()).toEqual([0, 3, 5]);
    await audit.append();
    expect(await host.verify()).toMatchObject({ intact: true, rows: 6, signed: { since: AUDIT_START, until: AUDIT_START } });
  });

  test("is kept for a day, then the last of each day", async () => {
    const host = audit.host();
    for (let hour = 0; hour < 48; hour++) {
      await audit.append();
      await host.run();
      audit.later(60);
    }

    // From noon: of the first day the last alone, of the day before now all.
    const days = Map.groupBy(await audit.anchors(), ({ at }) => at.toISOString().slice(0, 10));
    expect([...days].map(([day, { length }]) => [day, length])).toEqual([
      ["2026-03-01", 1],
      ["2026-03-02", 13],
      ["2026-03-03", 12],
    ]);
    expect((await host.verify()).intact).toBe(true);
  });
});

describe("an end that was written down elsewhere", () => {
  test("is appended to a file every hour, by one of two replicas; it finds a database that was taken back", async () => {
    const file = join(audit.folder, "anchors.jsonl");
    const replicas = [audit.host({ file }), audit.host({ file })];
    for (let round = 0; round < 4; round++) {
      await audit.append(2);
      for (const replica of replicas) {
        await replica.run();
      }
      audit.later(30);
    }
    const lines = (await readFile(file, "utf8")).trim().split("\n");
    const written = lines.map(readAnchorLine).filter((anchor) => anchor !== undefined);

    expect(written.map(({ lastId }) => lastId)).toEqual([2, 6]);
    const stranger = audit.host();
    expect((await stranger.verify({ anchors: written })).intact).toBe(true);
    // Back to the first signature, rightly chained and signed.
    await audit.rewrite((await audit.rows()).slice(0, 2));
    await audit.database.query.deleteFrom("identity.audit_anchors").where("last_id", ">", 2).execute();
    expect((await stranger.verify()).intact).toBe(true);
    expect((await stranger.verify({ anchors: written })).problem).toContain("Rows 3 to 6");
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
    const host = audit.host({ url: `http://127.0.0.1:${port}/anchors?token=x` });
    await audit.append();
    await host.sign();
    expect([await signedRows(), bodies]).toEqual([[0, 1], []]);

    await expect(host.run()).rejects.toThrow("AUDIT_ANCHOR_URL answered 500");
    await host.run();
    await host.run();
    server.close();

    expect(bodies.map((body) => readAnchorLine(body)?.lastId)).toEqual([1, 1]);
  });

  test("by hand is the same line, and a line that was changed does not count", async () => {
    await audit.append(2);
    const by = {
      queries: audit.database.query,
      sealer: auditSealer,
      clock: audit.clock,
      outside: createOutsideAnchor({ home: undefined, log: silentLog }),
    };
    const line = await anchorNow(by);
    const anchor = readAnchorLine(line);
    expect(anchor === undefined ? "" : anchorLine(anchor)).toBe(line);
    const changed = [line.replace('"rows":2', '"rows":3'), line.replace("12:00", "11:00"), line.replace("false", "true")];

    const { verify } = audit.host();
    expect(await verify({ anchors: anchor === undefined ? [] : [anchor] })).toMatchObject({ intact: true });
    for (const other of changed.map(readAnchorLine)) {
      expect(await verify({ anchors: other === undefined ? [] : [other] })).toMatchObject({ intact: false });
    }
    expect(["", "{}", "no JSON"].map(readAnchorLine)).toEqual([undefined, undefined, undefined]);

    await audit.database.query.deleteFrom("identity.audit_anchors").execute();
    await expect(anchorNow(by)).rejects.toThrow("Nothing is signed. No end of this chain was ever signed");
  });
});

test("a row below all others is found, however low its number", async () => {
  await audit.append(2);
  for (const id of ["-9223372036854775808", "-5", "0"]) {
    await sql`insert into identity.audit (id, at, event, hash) values (${sql.raw(id)}, ${audit.clock.now()}::timestamptz, 'login_ok', sha256('x'))`.execute(
      audit.database.query,
    );
    expect((await audit.host().verify()).intact).toBe(false);
    await sql`delete from identity.audit where id = ${sql.raw(id)}`.execute(audit.database.query);
  }
  expect((await audit.host().verify()).intact).toBe(true);
});
