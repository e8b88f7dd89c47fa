import { readConfig } from "@sightline/foundation/config";
import type { Service } from "@sightline/foundation/lifecycle";
import { createIdentity } from "@sightline/identity";
import { identityVariables } from "@sightline/identity/settings";
import { type Context, healthRoutes, serve } from "./context.ts";
import { type DatabaseOf, closing, openDatabase } from "./database.ts";

export async function composeIdentity(context: Context): Promise<readonly Service[]> {
  const { environment, log, clock } = context;
  const config = readConfig(identityVariables, environment);
  const database = openDatabase<DatabaseOf<typeof createIdentity>>(context, "identity", config.DATABASE_URL, config.DATABASE_POOL_SIZE);
  const identity = createIdentity({ config, database, log, clock, home: context.platform.SIGHTLINE_HOME });
  const http = await serve(context, {
    title: "Sightline identity",
    port: config.IDENTITY_PORT,
    portVariable: "IDENTITY_PORT",
    authenticators: identity.authenticators,
    routes: [identity.routes, healthRoutes(identity.checks)],
    corsOrigins: config.CORS_ORIGINS,
  });
  return [closing(database), { name: "identity", start: identity.start, stop: identity.stop }, http];
}
