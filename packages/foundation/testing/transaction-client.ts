import { createDatabase } from "#database/database.ts";
import { createLog } from "#log.ts";

/** A client that writes in a transaction without end, for tests that kill it. Arguments: the database's address. */
const database = createDatabase<unknown>({
  url: process.argv[2] ?? "",
  poolSize: 1,
  applicationName: "test-client",
  log: createLog({ name: "test-client", level: "silent" }),
});
const client = await database.pool.connect();
await client.query("begin");
await client.query("insert into rows (text) values ('unfinished')");
process.send?.("in transaction");
for (;;) {
  await client.query("insert into rows (text) select 'unfinished' from generate_series(1, $1::int)", [1000]);
}
