import { mkdir } from "node:fs/promises";
import { once } from "node:events";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { vector } from "@electric-sql/pglite-pgvector";
import { readConfig } from "@sightline/foundation/config";
import { createWireServer } from "@sightline/foundation/embedded-postgres/wire-server";
import { createLog } from "@sightline/foundation/log";
import { platformVariables } from "#config.ts";
import { reportReady, stopWithSupervisor } from "#supervisor/child-channel.ts";

/** This is the process of the embedded PostgreSQL. It listens on the loopback address alone, which is why it has no password. */
const config = readConfig(platformVariables, process.env);
const log = createLog({ name: "postgres", level: "info" });

/** All of it is taken at the start and never given back; what is not in it is in the system's own cache. */
const SHARED_BUFFERS = "32MB";

const folder = join(config.SIGHTLINE_HOME, "postgres");
await mkdir(folder, { recursive: true, mode: 0o700 });
const opening = openStore();
// From here on, since opening may take long after a crash.
stopWithSupervisor(
  async () => {
    const { db, wire } = await opening;
    await wire.drain();
    await db.close();
  },
  { outlivesOthers: true },
);
const { wire } = await opening;
wire.server.listen({ host: "127.0.0.1", port: config.SIGHTLINE_POSTGRES_PORT });
await once(wire.server, "listening");
reportReady();

async function openStore() {
  const startParams = [...PGlite.defaultStartParams, "-c", `shared_buffers=${SHARED_BUFFERS}`];
  const db = await PGlite.create({ dataDir: folder, extensions: { vector, pg_trgm }, startParams });
  const onFailure = (error: unknown) => {
    log.error({ err: error }, "the embedded PostgreSQL failed and starts again");
    process.exit(1);
  };
  return { db, wire: createWireServer({ db, onFailure }) };
}
