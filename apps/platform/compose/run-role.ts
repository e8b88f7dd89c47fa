import type { Environment } from "#settings/environment.ts";
import { createLifecycle, type Lifecycle } from "@sightline/foundation/lifecycle";
import { logLevelVariable, readConfig } from "@sightline/foundation/config";
import { createLog, type Logger } from "@sightline/foundation/log";
import { composeRole } from "./compose.ts";
import type { RoleName } from "#settings/role-names.ts";

type RunOptions = {
  readonly role: RoleName;
  readonly environment: Environment;
  readonly destination?: { write(line: string): void };
};

/** Shorter than the supervisor's patience, so that a role ends by itself. */
const DRAIN_MS = 8_000;

/** Starts one role in this process. */
export async function runRole(options: RunOptions): Promise<Lifecycle> {
  const log = createRoleLog(options);
  const services = await composeRole(options.role, { environment: options.environment, log });
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
