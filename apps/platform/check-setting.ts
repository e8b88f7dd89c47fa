import { ConfigError, readConfig } from "@sightline/foundation/config";
import type { Setting } from "./environment.ts";
import type { RoleName } from "./role-names.ts";
import { describeRole, portOf } from "./roles.ts";
import type { NeededPort } from "./ports.ts";

/**
 * Reads the configuration of every role that is to start.
 *
 * @throws {ConfigError} with the problems of all of them at once.
 */
export function demandValidConfig(roles: readonly RoleName[], { environment }: Setting): void {
  const problems = new Set<string>();
  for (const role of roles) {
    for (const problem of problemsOf(role, environment)) {
      problems.add(problem);
    }
  }
  if (problems.size > 0) {
    throw new ConfigError([...problems]);
  }
}

function problemsOf(role: RoleName, environment: Setting["environment"]): readonly string[] {
  try {
    readConfig(describeRole(role).variables, environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.problems;
    }
    throw error;
  }
}

/** Every port that starting these roles opens. */
export function neededPorts(roles: readonly RoleName[], setting: Setting): readonly NeededPort[] {
  const { platform, environment } = setting;
  const stores: NeededPort[] = [
    ...(setting.embeddedPostgres
      ? [{ port: platform.SIGHTLINE_POSTGRES_PORT, host: "127.0.0.1", use: "embedded PostgreSQL", variable: "SIGHTLINE_POSTGRES_PORT" }]
      : []),
    ...(setting.embeddedRedis
      ? [{ port: platform.SIGHTLINE_REDIS_PORT, host: "127.0.0.1", use: "embedded Redis", variable: "SIGHTLINE_REDIS_PORT" }]
      : []),
  ];
  const listeners = roles.flatMap((role): NeededPort[] => {
    const port = portOf(role, environment);
    const variable = describeRole(role).portVariable;
    return port === undefined || variable === undefined ? [] : [{ port, host: platform.SIGHTLINE_HOST, use: role, variable }];
  });
  return [...stores, ...listeners];
}
