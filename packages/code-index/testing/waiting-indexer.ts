import { once } from "node:events";
import { systemClock } from "@sightline/foundation/clock";
import { createDatabase } from "@sightline/foundation/database/database";
import { createLog } from "@sightline/foundation/log";
import { createIndexer } from "#indexing/indexer.ts";
import type { CodeIndexTables } from "#schema.ts";
import { testConfig } from "./test-config.ts";

/*
 * An indexer as a process of its own, for tests that kill it: `node waiting-indexer.ts <database> <data folder>`.
 * It starts when its standard input says so, logs to its standard output, and ends on SIGTERM.
 */

const [url = "", dataDir = ""] = process.argv.slice(2);
const log = createLog({ name: "indexer", level: "info" });
const database = createDatabase<CodeIndexTables>({ url, poolSize: 5, applicationName: `indexer-${process.pid}`, log });
const indexer = createIndexer({ config: testConfig(dataDir), database, log, clock: systemClock });

process.once("SIGTERM", () => {
  void indexer
    .stop()
    .then(() => database.close())
    .then(() => process.exit(0));
});

log.info("waiting");
await once(process.stdin, "data");
await indexer.start();
log.info("ready");
