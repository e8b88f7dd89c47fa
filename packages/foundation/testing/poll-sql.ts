import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";

/**
 * Runs one statement over and over for a script outside of the parts, and prints a line of JSON each time its rows are others:
 * milliseconds since 1970, and the rows. Arguments: the database's address, the statement, milliseconds between two runs.
 */
const [url, statement = "", interval = "20"] = process.argv.slice(2);
const client = new Client({ connectionString: url });
await client.connect();
let last = "";
for (;;) {
  const { rows } = await client.query<Record<string, unknown>>(statement);
  const text = JSON.stringify(rows);
  if (text !== last) {
    console.log(`[${Date.now()},${text}]`);
    last = text;
  }
  await pause(Number(interval));
}
