import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pingPostgres } from "./private-postgres.ts";
import { freePort, startPrivateServer, type PrivateServer } from "./private-server.ts";

/** Stands for the database's address where there is no PostgreSQL: every test database is then a PGlite of its own. */
export const PGLITE = "pglite:";

/** The program that is a PGlite: `node SERVE_PGLITE PORT [FOLDER]`. */
export const SERVE_PGLITE: string = fileURLToPath(new URL("serve-pglite.ts", import.meta.url));

/** A PGlite, in memory and in a process of its own. */
export async function startPglite(): Promise<PrivateServer> {
  const path = await mkdtemp(join(tmpdir(), "sightline-test-"));
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return startPrivateServer({
    name: "PGlite",
    url,
    folder: { path, inside: path },
    // What the optimising compiler does in the background costs more than a test's few statements.
    command: { file: process.execPath, args: ["--liftoff-only", SERVE_PGLITE, String(port)], identity: undefined },
    ping: () => pingPostgres(url),
  });
}
