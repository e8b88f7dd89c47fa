import { readConfig } from "@sightline/foundation/config";
import type { Service } from "@sightline/foundation/lifecycle";
import { identityVariables } from "@sightline/identity/settings";
import { createConsumer } from "@sightline/observability/consumer";
import { consumerVariables } from "@sightline/observability/settings";
import { type Context, healthRoutes, serve } from "./context.ts";
import { type DatabaseOf, closing, openDatabase } from "./database.ts";

export async function composeConsumer(context: Context): Promise<readonly Service[]> {
  const { environment, log, clock, metrics } = context;
  const config = readConfig(consumerVariables, environment);
  const { DATABASE_POOL_SIZE: poolSize } = readConfig({ DATABASE_POOL_SIZE: identityVariables.DATABASE_POOL_SIZE }, environment);
  const url = config.OBSERVABILITY_DATABASE_URL ?? config.DATABASE_URL;
  const database = openDatabase<DatabaseOf<typeof createConsumer>>(context, "consumer", url, poolSize);
  const consumer = createConsumer({ config, database, log, clock, metrics });
  const http = await serve(context, {
    title: "Sightline consumer",
    port: config.OBSERVABILITY_CONSUMER_PORT,
    portVariable: "OBSERVABILITY_CONSUMER_PORT",
    authenticators: {},
    routes: [healthRoutes([database.check, ...consumer.checks])],
  });
  return [closing(database), { name: "consumer", start: consumer.start, stop: consumer.stop }, http];
}
