import { Client } from "pg";

/** Runs one statement for a script outside of the parts. Arguments: the database's address, the statement. */
const [url, statement = ""] = process.argv.slice(2);
const client = new Client({ connectionString: url });
await client.connect();
await client.query(statement);
await client.end();
