import { createIndexer, indexerVariables } from "@sightline/code-index";
import { readConfig } from "@sightline/foundation/config";
import type { Service } from "@sightline/foundation/lifecycle";
import { closing, openDatabase, type Context, type DatabaseOf } from "./context.ts";

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
