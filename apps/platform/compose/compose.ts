import { type Service, createLifecycle, type Lifecycle } from "@sightline/foundation/lifecycle";
import { type Logger, createLog } from "@sightline/foundation/log";
import type { Environment } from "#settings/environment.ts";
import type { RoleName } from "#settings/role-names.ts";
import { createContext, type Context } from "#compose/wiring/context.ts";
import { logLevelVariable, readConfig } from "@sightline/foundation/config";

/** Composes the services of a role, in the order of their start. */
export async function composeRole(role: RoleName, context: Context): Promise<readonly Service[]> {
  const compose = await LOADERS[role]();
  return compose(context);
}

/** Loads the code of a role ahead of its start. */
export async function loadRole(role: RoleName): Promise<void> {
  await LOADERS[role]();
}

type Compose = (context: Context) => Promise<readonly Service[]>;

/** Each role loads only its own parts, which halves the time of its restart. */
const LOADERS: Readonly<Record<RoleName, () => Promise<Compose>>> = {
  identity: async () => (await import("#compose/wiring/identity.ts")).composeIdentity,
  "code-index": async () => (await import("#compose/wiring/code-index.ts")).composeCodeIndex,
  indexer: async () => (await import("#compose/wiring/indexer.ts")).composeIndexer,
  observability: async () => (await import("#compose/wiring/observability.ts")).composeObservability,
  consumer: async () => (await import("#compose/wiring/consumer.ts")).composeConsumer,
  console: async () => (await import("#compose/wiring/console.ts")).composeConsole,
};

type RunOptions = {
  readonly role: RoleName;
  readonly environment: Environment;
  readonly destination?: { write(line: string): void };
};

/** Shorter than the supervisor's time limit, so that a role ends by itself. */
const DRAIN_MS = 8_000;

/** Starts one role in this process. */
export async function runRole(options: RunOptions): Promise<Lifecycle> {
  const log = createRoleLog(options);
  const services = await composeRole(options.role, createContext(options.role, { environment: options.environment, log }));
  const lifecycle = createLifecycle({ log, services, drainMs: DRAIN_MS });
  await lifecycle.start();
  log.info("ready");
  return lifecycle;
}

function createRoleLog({ role, environment, destination }: RunOptions): Logger {
  const name = role === "code-index" || role === "indexer" ? "CODEINDEX_LOG_LEVEL" : "LOG_LEVEL";
  const { level } = readConfig({ level: { doc: "", schema: logLevelVariable(), default: "INFO" } }, { level: environment[name] });
  return createLog({ name: role, level, ...(destination === undefined ? {} : { destination }) });
}
