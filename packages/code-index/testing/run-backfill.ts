import { systemClock } from "@sightline/foundation/clock";
import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createEmbedder } from "#embedding/create-embedder.ts";
import { createBackfill } from "#indexing/embedding/embed-pending.ts";
import type { CodeIndexTables } from "#schema.ts";

/** A process that does nothing but make vectors, to be killed: `run-backfill.ts <database> <provider> <dimensions> <lease in ms>`. */
const [url = "", provider = "", dimensions = "", leaseMs = ""] = process.argv.slice(2);
const database = createDatabase<CodeIndexTables>({ url, poolSize: 3, applicationName: "backfill", log: silentLog });
const embedder = createEmbedder({
  CODEINDEX_EMBEDDER: "openai",
  CODEINDEX_EMBEDDING_URL: provider,
  CODEINDEX_EMBEDDING_MODEL: "small",
  CODEINDEX_EMBEDDING_DIMENSIONS: Number(dimensions),
});
const timing = { idleMs: 50, retryMs: 50, leaseMs: Number(leaseMs) };
await createBackfill({ database, embedder, log: silentLog, clock: systemClock, timing }).start();
