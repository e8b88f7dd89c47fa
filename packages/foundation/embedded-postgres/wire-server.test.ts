import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { createDatabase, type Database } from "#database/database.ts";
import { silentLog } from "#testing/silent-log.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createNotificationReader } from "./notifications.ts";
import { createWireServer, type WireServer } from "./wire-server.ts";

let db: PGlite;
let wire: WireServer;
let url: string;
const opened: Database<unknown>[] = [];

beforeAll(async () => {
  db = await PGlite.create();
  wire = createWireServer({
    db,
    idleInTransactionMs: 300,
    onFailure: (error) => {
      throw error;
    },
  });
  wire.server.listen(0, "127.0.0.1");
  await once(wire.server, "listening");
  const address = wire.server.address();
  url = `postgres://postgres@127.0.0.1:${typeof address === "object" ? address?.port : ""}/postgres`;
  await open(1).pool.query("create table rows (id int generated always as identity, text text)");
});

afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await wire.drain();
  wire.server.close();
  await db.close();
});

function open(poolSize: number): Database<unknown> {
  const database = createDatabase<unknown>({ url, poolSize, applicationName: "test", log: silentLog });
  opened.push(database);
  return database;
}

test("statements of forty connections at once never get each other's rows", async () => {
  const pools = Array.from({ length: 4 }, () => open(10));
  const asked = pools.flatMap(({ pool }, owner) =>
    Array.from({ length: 200 }, async (_, number) => {
      const { rows } = await pool.query(`select $1::int as number, '${owner}' as owner, $2::text as text`, [number, `t${number}`]);
      expect(rows).toEqual([{ number, owner: String(owner), text: `t${number}` }]);
    }),
  );
  await Promise.all(asked);
});

test("a client that speaks something else is sent away, and nobody else notices", async () => {
  const { pool } = open(1);
  const stranger = connect(Number(new URL(url).port), "127.0.0.1");
  const gone = once(stranger, "close");
  stranger.write(Buffer.from([0, 0, 0, 9, 0, 3, 0, 0, 0]));
  stranger.write(Buffer.from([0xff, 0, 0, 0, 8, 97, 98, 99, 100, 0x53, 0, 0, 0, 4]));
  stranger.resume();
  await gone;
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("a transaction is not mixed with the statements of others", async () => {
  const { pool } = open(4);
  const client = await pool.connect();
  await client.query("begin");
  await client.query("insert into rows (text) values ('mine')");
  const other = pool.query("select count(*) from rows where text = 'mine'");
  await client.query("rollback");
  client.release();
  expect((await other).rows).toEqual([{ count: 0 }]);
});

test("an error inside a transaction leaves the others unharmed", async () => {
  const { pool } = open(2);
  const client = await pool.connect();
  await client.query("begin");
  await expect(client.query("select 1 / $1::int", [0])).rejects.toThrow("division by zero");
  const other = pool.query("select $1::int as one", [1]);
  await client.query("rollback");
  client.release();
  expect((await other).rows).toEqual([{ one: 1 }]);
});

test("a client killed inside a transaction is rolled back and the others go on", async () => {
  const { pool } = open(2);
  for (let round = 0; round < 3; round += 1) {
    const child = fork(fileURLToPath(new URL("../testing/transaction-client.ts", import.meta.url)), [url]);
    await once(child, "message");
    const waiting = pool.query("select count(*) from rows where text = 'unfinished'");
    child.kill("SIGKILL");
    expect((await waiting).rows).toEqual([{ count: 0 }]);
  }
});

test("a client reset at any moment of its statements never blocks the others", async () => {
  const { pool } = open(4);
  for (let round = 0; round < 40; round += 1) {
    const victim = open(1);
    const client = await victim.pool.connect();
    client.on("error", () => undefined);
    const statements = [
      client.query("begin"),
      client.query("insert into rows (text) select 'reset' from generate_series(1, $1::int)", [500]),
    ];
    const settled = Promise.allSettled(statements);
    const others = Array.from({ length: 5 }, () => pool.query("select $1::int as one", [1]));
    await Promise.race([...others.slice(0, round % 5), new Promise((resolve) => setImmediate(resolve))]);
    client.release(true);
    await settled;
    await Promise.all(others);
    expect((await pool.query("select count(*) from rows where text = 'reset'")).rows).toEqual([{ count: 0 }]);
  }
});

test("a client that idles inside its transaction is disconnected", async () => {
  const { pool } = open(2);
  const client = await pool.connect();
  const broken = once(client, "error");
  await client.query("begin");
  await client.query("insert into rows (text) values ('idle')");
  expect((await pool.query("select count(*) from rows where text = 'idle'")).rows).toEqual([{ count: 0 }]);
  await broken;
  client.release(true);
});

test("a result of fifty megabytes arrives whole", async () => {
  const { rows } = await open(1).pool.query("select repeat('x', 1000000) as text from generate_series(1, 50)");
  expect(rows.map((row: { text: string }) => row.text.length)).toEqual(Array.from({ length: 50 }, () => 1_000_000));
});

test("bytes that are not PostgreSQL's protocol end their connection alone", async () => {
  const address = new URL(url);
  const socket = connect(Number(address.port), address.hostname);
  socket.on("error", () => undefined);
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(socket, "close");
  expect((await open(1).pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("what one client notifies of reaches those who listen, once it is committed, however long the answer before it is", async () => {
  const heard: string[] = [];
  const listener = await open(1).pool.connect();
  const deaf = await open(1).pool.connect();
  const teller = await open(1).pool.connect();
  listener.on("notification", ({ channel, payload }) => heard.push(`${channel} ${payload}`));
  deaf.on("notification", ({ payload }) => heard.push(`deaf ${payload}`));
  await listener.query('listen "some work"');
  await teller.query("begin");
  await teller.query("select pg_notify('some work', 'rolled back')");
  await teller.query("rollback");
  await teller.query("begin");
  await teller.query("select pg_notify('some work', $1)", ["first"]);
  await teller.query("select repeat('x', 100000) from generate_series(1, 100)");
  expect(heard).toEqual([]);
  await teller.query("commit");
  await teller.query("select pg_notify('other', 'nobody'), pg_notify('some work', repeat('y', 5000))");
  // The one session's turn: what was told before was written before.
  await listener.query("select 1");
  expect(heard).toEqual(["some work first", `some work ${"y".repeat(5_000)}`]);
  [listener, deaf, teller].forEach((client) => client.release(true));
});

test("notifications are found in an answer that arrives in pieces of any size", () => {
  const message = (type: string, body: Buffer): Buffer => {
    const header = Buffer.alloc(5);
    header.write(type);
    header.writeInt32BE(4 + body.length, 1);
    return Buffer.concat([header, body]);
  };
  const told = message("A", Buffer.from("\0\0\0\u002awork\0jobs\0"));
  const answer = Buffer.concat([
    message("D", Buffer.alloc(300, "A")),
    told,
    message("C", Buffer.from("COMMIT\0")),
    told,
    told,
    message("Z", Buffer.from("I")),
  ]);
  for (let size = 1; size <= answer.length; size += 1) {
    const heard: string[] = [];
    const read = createNotificationReader((channel, whole) => heard.push(`${channel} ${whole.length}`));
    for (let start = 0; start < answer.length; start += size) {
      read(answer.subarray(start, start + size));
    }
    expect(heard, `pieces of ${size}`).toEqual([`work ${told.length}`, `work ${told.length}`, `work ${told.length}`]);
  }
});
