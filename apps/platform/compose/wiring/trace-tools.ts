import type { PluginTools } from "@sightline/code-index";
import { readConfig } from "@sightline/foundation/config";
import type { Service } from "@sightline/foundation/lifecycle";
import type { IdentitySchema } from "@sightline/identity";
import { findStanding } from "@sightline/identity/standing";
import type { ObservabilitySchema } from "@sightline/observability";
import { createTraceTools } from "@sightline/observability/trace-tools";
import type { Context } from "./context.ts";
import { closing, openDatabase } from "./database.ts";
import { tracesOverMcpVariables } from "#settings/roles.ts";

type OfferedTraces = { readonly plugin: PluginTools; readonly services: readonly Service[] };

/** Calls of assistants are few beside the console's. */
const POOL_SIZE = 4;
const STANDING_POOL_SIZE = 2;

/** Observability's tools for the code index's MCP endpoint; `undefined` where there is no database to ask. */
export function offerTraces(context: Context): OfferedTraces | undefined {
  const { environment, log, clock } = context;
  const { DATABASE_URL: url } = readConfig(tracesOverMcpVariables, environment);
  if (url === undefined) {
    return undefined;
  }
  const database = openDatabase<ObservabilitySchema>(context, "mcp-traces", url, POOL_SIZE);
  const accounts = openDatabase<IdentitySchema>(context, "mcp-accounts", url, STANDING_POOL_SIZE);
  const plugin = createTraceTools({ database, log, clock, findStanding: (userId) => findStanding(accounts.query, userId) });
  return { plugin, services: [closing(database), closing(accounts)] };
}
