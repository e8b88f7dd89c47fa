import { createDatabase } from "#database/database.ts";
import { silentLog } from "./silent-log.ts";

/** Holds a lock in a transaction as the product would, until it is killed. Arguments: the database's address, the lock's number. */
const [url = "", lock = "0"] = process.argv.slice(2);
const database = createDatabase({ url, poolSize: 1, applicationName: "hold-lock", log: silentLog });
const client = await database.pool.connect();
await client.query("begin");
await client.query("select pg_advisory_xact_lock($1)", [Number(lock)]);
console.log("held");
process.stdin.resume();
