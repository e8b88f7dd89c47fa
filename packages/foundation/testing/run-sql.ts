import { Client } from "pg";

/** Runs one statement for a script outside of the parts, and prints its rows. Arguments: the database's address, the statement. */
const [url, statement = ""] = process.argv.slice(2);
const client = new Client({ connectionString: url });
await client.connect();
const { rows } = await client.query<Record<string, unknown>>(statement);
console.log(JSON.stringify(rows));
await client.end();
