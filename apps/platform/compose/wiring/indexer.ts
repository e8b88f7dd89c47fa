import { createIndexer } from "@sightline/code-index/indexer";
import { indexerVariables } from "@sightline/code-index/settings";
import { readConfig } from "@sightline/foundation/config";
import type { Service } from "@sightline/foundation/lifecycle";
import type { Context } from "./context.ts";
import { type DatabaseOf, closing, openDatabase } from "./database.ts";

export async function composeIndexer(context: Context): Promise<readonly Service[]> {
  const { environment, log, clock } = context;
  const config = readConfig(indexerVariables, environment);
  const database = openDatabase<DatabaseOf<typeof createIndexer>>(
    context,
    "indexer",
    config.CODEINDEX_DATABASE_URL,
    config.CODEINDEX_DATABASE_POOL_SIZE,
  );
  const indexer = createIndexer({ config, database, log, clock });
  return [closing(database), { name: "indexer", start: indexer.start, stop: indexer.stop }];
}
