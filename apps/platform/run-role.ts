import type { Environment } from "./environment.ts";
import { createLifecycle, type Lifecycle } from "@sightline/foundation/lifecycle";
import { readConfig } from "@sightline/foundation/config";
import { createLog, type Logger } from "@sightline/foundation/log";
import { codeIndexVariables } from "@sightline/code-index";
import { observabilityVariables } from "@sightline/observability";
import { composeRole } from "./compose.ts";
import type { RoleName } from "./role-names.ts";

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
  const isCode = role === "code-index" || role === "indexer";
  const level = isCode
    ? readConfig({ level: codeIndexVariables.CODEINDEX_LOG_LEVEL }, { level: environment["CODEINDEX_LOG_LEVEL"] }).level
    : readConfig({ level: observabilityVariables.LOG_LEVEL }, { level: environment["LOG_LEVEL"] }).level;
  return createLog({ name: role, level, ...(destination === undefined ? {} : { destination }) });
}
