import type { Service } from "@sightline/foundation/lifecycle";
import type { Logger } from "@sightline/foundation/log";
import type { Environment } from "#settings/environment.ts";
import type { RoleName } from "#settings/role-names.ts";
import { createContext, type Context } from "#compose/wiring/context.ts";

export type Wiring = {
  readonly environment: Environment;
  readonly log: Logger;
};

/** Everything a role consists of, in the order of its start. */
export async function composeRole(role: RoleName, wiring: Wiring): Promise<readonly Service[]> {
  return composeIn(role, createContext(role, wiring));
}

/** The same from a context that the caller keeps, to look at what the role adds to it. */
export async function composeIn(role: RoleName, context: Context): Promise<readonly Service[]> {
  const compose = await LOADERS[role]();
  return compose(context);
}

type Compose = (context: Context) => Promise<readonly Service[]>;

/** A role loads only the parts it is made of, which halves the time of its restart. */
const LOADERS: Readonly<Record<RoleName, () => Promise<Compose>>> = {
  identity: async () => (await import("#compose/wiring/identity.ts")).composeIdentity,
  "code-index": async () => (await import("#compose/wiring/code-index.ts")).composeCodeIndex,
  indexer: async () => (await import("#compose/wiring/indexer.ts")).composeIndexer,
  observability: async () => (await import("#compose/wiring/observability.ts")).composeObservability,
  consumer: async () => (await import("#compose/wiring/consumer.ts")).composeConsumer,
  console: async () => (await import("#compose/wiring/console.ts")).composeConsole,
};
