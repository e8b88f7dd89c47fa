import { systemClock } from "@sightline/foundation/clock";
import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createIndexer } from "#indexing/indexer.ts";
import type { CodeIndexTables } from "#schema.ts";
import { testConfig } from "./test-config.ts";

/** An indexer in a process of its own, to be killed: `node indexer-process.ts <database url> <data folder>`. */
const [, , url = "", dataDir = ""] = process.argv;
const database = createDatabase<CodeIndexTables>({ url, poolSize: 5, applicationName: "indexer-process", log: silentLog });
await createIndexer({ config: testConfig(dataDir), database, log: silentLog, clock: systemClock }).start();
