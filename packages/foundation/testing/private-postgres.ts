import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Client } from "pg";
import type { FoundServer } from "./find-services.ts";
import { runIn } from "./installation.ts";
import { freePort, startPrivateServer, type PrivateServer } from "./private-server.ts";

/** Tests want speed and no disk: nothing here survives the run anyway. */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  // POSIX shared memory would need /dev/shm, which a Debian in a folder has not.
  dynamic_shared_memory_type: "mmap",
  max_connections: "300",
  shared_buffers: "256MB",
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  autovacuum: "on",
};

type Settings = Readonly<Record<string, string>>;

/** A PostgreSQL of this run's own: fresh data folder, free port. `more` are settings that hold before ours. */
export async function startPostgres(found: FoundServer, more: Settings = {}): Promise<PrivateServer> {
  const { url, folder, command } = await preparePostgres(found, { ...SETTINGS, ...more });
  return startPrivateServer({ name: "PostgreSQL", url, folder, command, ping: () => pingPostgres(url) });
}

/** A fresh data folder, and the command that serves it on a free port. */
export async function preparePostgres({ installation, program }: FoundServer, settings: Settings) {
  const folder = await installation.makeFolder();
  const data = `${folder.inside}/data`;
  const initialize = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"];
  await runIn(installation, [`${program}/initdb`, `--pgdata=${data}`, ...initialize]);
  await spread(`${folder.path}/data/base`);
  const port = await freePort();
  const words = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  // A server that calls others looks for keys at home, and must be able to read there.
  const server = ["/usr/bin/env", `HOME=${folder.inside}`, `${program}/postgres`, "-D", data, "-p", String(port), ...words];
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, folder, command: installation.command(server) };
}

/**
 * Has the databases lie apart on the disk. Before an ext4 without a journal makes a file it passes over all that were deleted
 * nearby within the last minute, and each database is hundreds of files: without this, to make one took half a second of a core.
 */
async function spread(folder: string): Promise<void> {
  // Other file systems know no such mark, and need none.
  await promisify(execFile)("chattr", ["+T", folder]).catch(() => undefined);
}

/** @throws {Error} when the server does not let anyone in. */
export async function pingPostgres(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
  } finally {
    await client.end().catch(() => undefined);
  }
}
