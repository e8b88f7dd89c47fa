import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTcpProxy, type TcpProxy } from "#testing/tcp-proxy.ts";
import { databaseUnavailable } from "#database-unavailable.ts";
import { createTestDatabase, type TestDatabase } from "#testing/test-database.ts";
import { silentLog } from "#testing/silent-log.ts";
import { createDatabase, type Database } from "./database.ts";

let server: TestDatabase<unknown>;
let proxy: TcpProxy;
let database: Database<unknown>;

beforeEach(async () => {
  server = await createTestDatabase();
  proxy = await createTcpProxy(server.url);
  database = createDatabase({ url: proxy.url, poolSize: 1, applicationName: "test", log: silentLog, statementTimeoutMs: 100 });
});

afterEach(async () => {
  await proxy.close();
  await database.close();
  await server.drop();
});

/** Asks as the product does, outside of a transaction or in one. */
const ASKING = {
  "a statement": () => sql`select 1 as answer`.execute(database.query),
  "a transaction": () => database.query.transaction().execute((transaction) => sql`select 1 as answer`.execute(transaction)),
};

test.each(Object.entries(ASKING))(
  "a connection on which %s had no answer is nobody's any more",
  { timeout: 30_000 },
  async (_name, ask) => {
    await ask();
    // The connection stays open and dead, as when a host's network comes back after its server gave the connection up.
    proxy.goDeaf();
    await expect(ask()).rejects.toThrow("read timeout");
    expect((await ask()).rows).toEqual([{ answer: 1 }]);
  },
);

test("a transaction that had no answer in its middle is told as a database that is away", { timeout: 30_000 }, async () => {
  const asked = database.query.transaction().execute(async (transaction) => {
    await sql`select 1`.execute(transaction);
    proxy.goDeaf();
    await sql`select 2`.execute(transaction);
  });
  const error = await asked.catch((reason: unknown) => reason);
  expect(error instanceof Error && databaseUnavailable(error)?.code).toBe("database_unavailable");
});
