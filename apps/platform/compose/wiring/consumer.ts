import { readConfig } from "@sightline/foundation/config";
import type { Service } from "@sightline/foundation/lifecycle";
import { identityVariables } from "@sightline/identity/settings";
import { createConsumer } from "@sightline/observability/consumer";
import { consumerVariables } from "@sightline/observability/settings";
import { type Context, healthRoutes, serve } from "./context.ts";
import { type DatabaseOf, closing, nodeOpener, openDatabase } from "./database.ts";

export async function composeConsumer(context: Context): Promise<readonly Service[]> {
  const { environment, log, clock, metrics } = context;
  const config = readConfig(consumerVariables, environment);
  const { DATABASE_POOL_SIZE: poolSize } = readConfig({ DATABASE_POOL_SIZE: identityVariables.DATABASE_POOL_SIZE }, environment);
  const database = openDatabase<DatabaseOf<typeof createConsumer>>(context, "consumer", config.DATABASE_URL, poolSize);
  const openNode = nodeOpener<DatabaseOf<typeof createConsumer>>(context, "consumer", config, poolSize);
  const consumer = createConsumer({ config, database, log, clock, metrics, openNode });
  const http = await serve(context, {
    title: "Sightline consumer",
    port: config.OBSERVABILITY_CONSUMER_PORT,
    portVariable: "OBSERVABILITY_CONSUMER_PORT",
    authenticators: {},
    routes: [healthRoutes([database.check, ...consumer.checks])],
  });
  return [closing(database), { name: "consumer", start: consumer.start, stop: consumer.stop }, http];
}
