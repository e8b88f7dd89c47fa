import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { sql } from "kysely";
import type { IdentitySchema, Queries } from "#schema.ts";
import { createIdentityDatabase, type IdentityDatabase } from "#testing/identity-database.ts";
import { appendAudit, type AuditEvent } from "./audit.store.ts";
import { exportChain } from "./export-audit.ts";
import { walkChain, type ChainExpectations } from "./walk-chain.ts";

let database: IdentityDatabase;

const AT = new Date("2026-03-01T12:00:00.123Z");
const USER = "018f3d5e-0000-7000-8000-00000000000a";

/** The chain alone, without signatures. */
function verify(expected: ChainExpectations = {}, queries: Queries = database.query) {
  return walkChain(queries, expected);
}

beforeAll(async () => {
  database = await createIdentityDatabase();
});

beforeEach(async () => {
  await database.query.deleteFrom("identity.audit").execute();
  await database.query
    .updateTable("identity.audit_head")
    .set({ last_id: 0, rows: 0, hash: Buffer.alloc(32) })
    .execute();
});

afterAll(() => database.drop());

function append(queries: Queries, ...events: readonly Partial<AuditEvent>[]): Promise<void> {
  return queries
    .transaction()
    .execute((transaction) =>
      appendAudit(
        transaction,
        ...events.map((event): AuditEvent => ({ event: "login_ok", at: AT, userId: USER, details: { b: "2", a: "1" }, ...event })),
      ),
    );
}

async function appendRows(count: number): Promise<void> {
  await append(
    database.query,
    ...Array.from({ length: count }, (_, index): Partial<AuditEvent> => ({ details: { number: String(index) } })),
  );
}

describe("the chain", () => {
  test("of an empty audit is whole", async () => {
    expect(await verify()).toMatchObject({ intact: true, rows: 0, head: "00".repeat(32), firstBrokenId: null });
  });

  test("ids have no gaps, also when transactions were taken back", async () => {
    await append(database.query, {});
    await expect(
      database.query.transaction().execute(async (transaction) => {
        await appendAudit(transaction, { event: "login_ok", at: AT });
        throw new Error("taken back");
      }),
    ).rejects.toThrow("taken back");
    await append(database.query, {}, {});

    const rows = await database.query.selectFrom("identity.audit").select("id").orderBy("id").execute();
    expect(rows.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(await verify()).toMatchObject({ intact: true, rows: 3 });
  });

  test("is recomputed over batches of any size", async () => {
    await appendRows(7);
    for (const batch of [1, 2, 3, 7, 8]) {
      expect(await verify({ batch: batch })).toMatchObject({ intact: true, rows: 7 });
    }
  });

  test("holds for whatever PostgreSQL does not keep as it was given", async () => {
    await append(database.query, {
      userId: USER.toUpperCase(),
      client: { ip: "::1", userAgent: "agent \0 \ud800 \u2028 \u007f é 🦊" },
      details: { reason: 'half a \ud83e, a \0 and "quotes"', z: "", "": "empty" },
    });

    expect(await verify()).toMatchObject({ intact: true, rows: 1 });
  });

  test("twenty writers at once on two replicas, while it is verified, leave it whole", needsRealPostgres, async () => {
    const other = createDatabase<IdentitySchema>({ url: database.url, poolSize: 10, applicationName: "other", log: silentLog });
    const writers = Array.from({ length: 20 }, async (_, writer) => {
      for (let round = 0; round < 10; round++) {
        await append(writer % 2 === 0 ? database.query : other.query, { details: { writer: String(writer) } }, {});
      }
    });
    const meanwhile = [];
    for (let round = 0; round < 10; round++) {
      meanwhile.push(await verify({ batch: 7 }, other.query));
    }
    await Promise.all(writers);
    const verdict = await verify({}, other.query);
    await other.close();

    expect(meanwhile.every(({ intact }) => intact)).toBe(true);
    expect(verdict).toMatchObject({ intact: true, rows: 400 });
  });
});

describe("verification finds", () => {
  const columns = {
    at: sql`at + interval '1 second'`,
    event: sql`'login_failed'`,
    tenant_id: sql`gen_random_uuid()`,
    user_id: sql`null`,
    actor_id: sql`user_id`,
    session_id: sql`gen_random_uuid()`,
    ip: sql`'203.0.113.9'`,
    user_agent: sql`'another'`,
    details: sql`'{"number": "7"}'::jsonb`,
    hash: sql`sha256('x')`,
  };

  test.each(Object.keys(columns) as (keyof typeof columns)[])("a changed %s", async (column) => {
    await appendRows(5);
    await sql`update identity.audit set ${sql.ref(column)} = ${columns[column]} where id = 3`.execute(database.query);

    expect(await verify()).toMatchObject({ intact: false, firstBrokenId: 3, rows: 2 });
  });

  test.each([`'null'`, `'[]'`, `'{"number": {"2": 2}}'`, `'"text"'`])("details that became %s", async (details) => {
    await appendRows(5);
    await sql`update identity.audit set details = ${sql.raw(details)}::jsonb where id = 3`.execute(database.query);

    expect(await verify()).toMatchObject({ intact: false, firstBrokenId: 3 });
  });

  test("a hash that was taken away, whatever the table forbade", async () => {
    await appendRows(5);
    await sql`alter table identity.audit alter column hash drop not null`.execute(database.query);
    await sql`update identity.audit set hash = null where id = 3`.execute(database.query);

    expect(await verify()).toMatchObject({ intact: false, firstBrokenId: 3, rows: 2 });
    await sql`truncate identity.audit`.execute(database.query);
    await sql`alter table identity.audit alter column hash set not null`.execute(database.query);
  });

  test("a time beyond all times", async () => {
    await appendRows(2);
    await sql`update identity.audit set at = 'infinity' where id = 2`.execute(database.query);

    expect(await verify()).toMatchObject({ intact: false, firstBrokenId: 2 });
  });

  test.each([1, 3])("row %i deleted", async (id) => {
    await appendRows(5);
    await database.query.deleteFrom("identity.audit").where("id", "=", id).execute();

    const verdict = await verify();
    expect(verdict).toMatchObject({ intact: false, firstBrokenId: id });
    expect(verdict.problem).toBe(`Row ${id} was deleted.`);
  });

  test("a row deleted and the ids after it moved up", async () => {
    await appendRows(5);
    await sql`delete from identity.audit where id = 3`.execute(database.query);
    for (const id of [4, 5]) {
      await sql`update identity.audit set id = id - 1 where id = ${id}`.execute(database.query);
    }

    expect(await verify()).toMatchObject({ intact: false, firstBrokenId: 3 });
  });

  test.each([2, 4, 5])("the last rows deleted, from %i on", async (id) => {
    await appendRows(5);
    await database.query.deleteFrom("identity.audit").where("id", ">=", id).execute();

    expect(await verify()).toMatchObject({ intact: false, firstBrokenId: id, rows: id - 1 });
    expect(await verify({ batch: 1 })).toMatchObject({ intact: false, firstBrokenId: id });
  });

  test("everything deleted", async () => {
    await appendRows(5);
    await database.query.deleteFrom("identity.audit").execute();

    expect(await verify()).toMatchObject({ intact: false, firstBrokenId: 1 });
  });

  test("a row inserted behind the end, even one that is chained rightly", async () => {
    await appendRows(3);
    const end = await database.query.selectFrom("identity.audit_head").selectAll().executeTakeFirstOrThrow();
    await append(database.query, {});
    await database.query.updateTable("identity.audit_head").set(end).execute();

    expect(await verify()).toMatchObject({ intact: false, firstBrokenId: 4 });
  });

  test("a row inserted with a number of its own", async () => {
    await appendRows(3);
    await sql`insert into identity.audit (id, at, event, hash) values (-5, now(), 'login_ok', sha256('x')), (0, now(), 'login_ok', sha256('x'))`.execute(
      database.query,
    );

    expect(await verify()).toMatchObject({ intact: false, firstBrokenId: -5 });
  });

  test("two rows swapped", async () => {
    await appendRows(5);
    await sql`update identity.audit set id = case id when 2 then 102 else 104 end where id in (2, 4)`.execute(database.query);
    await sql`update identity.audit set id = case id when 102 then 4 else 2 end where id in (102, 104)`.execute(database.query);

    expect(await verify()).toMatchObject({ intact: false, firstBrokenId: 2 });
  });

  test.each([
    { what: "another hash", change: sql`update identity.audit_head set hash = sha256('x')` },
    { what: "other rows", change: sql`update identity.audit_head set rows = rows - 1` },
    { what: "another last row", change: sql`update identity.audit_head set last_id = last_id + 1` },
    { what: "nothing left", change: sql`delete from identity.audit_head` },
  ])("an end with $what", async ({ change }) => {
    await appendRows(3);
    const end = await database.query.selectFrom("identity.audit_head").selectAll().executeTakeFirstOrThrow();
    await change.execute(database.query);

    const verdict = await verify();
    await database.query.deleteFrom("identity.audit_head").execute();
    await database.query.insertInto("identity.audit_head").values(end).execute();
    expect(verdict).toMatchObject({ intact: false });
  });

  test("a chain written anew, by the head noted elsewhere", async () => {
    await appendRows(3);
    const { head } = await verify();
    await appendRows(2);
    expect(await verify({ head })).toMatchObject({ intact: true, rows: 5 });

    await database.query.deleteFrom("identity.audit").execute();
    await database.query
      .updateTable("identity.audit_head")
      .set({ last_id: 0, rows: 0, hash: Buffer.alloc(32) })
      .execute();
    await append(database.query, {}, {}, {}, {}, {});

    expect(await verify()).toMatchObject({ intact: true, rows: 5 });
    expect(await verify({ head })).toMatchObject({ intact: false, firstBrokenId: null });
  });
});

test("the export is verified without us, as the documents say", async () => {
  await append(database.query, { client: { ip: "203.0.113.7", userAgent: 'é 🦊 "quoted"' }, details: { b: "2", a: "1" } }, {});
  await appendRows(1100);

  let previous: Uint8Array = new Uint8Array(32);
  let lines = 0;
  for await (const line of exportChain(database.query, {})) {
    const row = JSON.parse(line);
    const details = Object.fromEntries(["a", "b", "number"].filter((key) => key in row.details).map((key) => [key, row.details[key]]));
    const fields = [row.id, Date.parse(row.at), row.event, row.tenant_id, row.user_id, row.actor_id, row.session_id];
    const text = JSON.stringify([...fields, row.ip, row.user_agent, details]);
    const hash = createHash("sha256").update(previous).update(text).digest();
    expect(hash.toString("hex")).toBe(row.hash);
    previous = hash;
    lines += 1;
  }

  expect(lines).toBe(1102);
  expect(Buffer.from(previous).toString("hex")).toBe((await verify()).head);
});

test("an export of a time holds the rows of that time", async () => {
  const times = [0, 1, 2, 3].map((day) => new Date(AT.getTime() + day * 86_400_000));
  await append(database.query, ...times.map((at) => ({ at })));

  const lines = [];
  for await (const line of exportChain(database.query, { from: times[1], to: times[3] })) {
    lines.push(JSON.parse(line).id);
  }

  expect(lines).toEqual([2, 3]);
});
