import { Client, type ClientConfig } from "pg";

/** The address of another database of the server. */
export function addressOf(server: string, database: string): string {
  const address = new URL(server);
  address.pathname = `/${database}`;
  return address.toString();
}

/** Does something on a connection of its own. */
export async function onServer(server: string, work: (client: Client) => Promise<unknown>, limits: ClientConfig = {}): Promise<void> {
  const client = new Client({ ...limits, connectionString: server });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
