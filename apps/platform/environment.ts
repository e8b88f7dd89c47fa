import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "@sightline/foundation/config";
import { platformVariables, type PlatformConfig } from "./config.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What this machine is told, with everything filled in that can be derived. */
export type Setting = {
  readonly platform: PlatformConfig;
  readonly environment: Environment;
  readonly embeddedPostgres: boolean;
  readonly embeddedRedis: boolean;
};

/** One session serves every connection of the embedded database, so more of them only wait longer. */
const EMBEDDED_POOL_SIZE = "4";

/** Adds what `./.env` says to the environment; what is already set wins. */
export function loadEnvironmentFile(): void {
  if (existsSync(".env")) {
    process.loadEnvFile(".env");
  }
}

/**
 * Decides what is embedded and derives what follows from it. One database address is enough for both databases;
 * only when there is neither is PostgreSQL embedded.
 *
 * @throws {ConfigError} when a variable of the platform is wrong.
 */
export function resolveSetting(given: Environment): Setting {
  const platform = readConfig(platformVariables, given);
  const home = resolve(platform.SIGHTLINE_HOME);
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ""));
  const { DATABASE_URL: main = set["CODEINDEX_DATABASE_URL"], CODEINDEX_DATABASE_URL: code = main } = set;
  const embeddedPostgres = main === undefined;
  const embeddedRedis = set["OBSERVABILITY_REDIS_URL"] === undefined;
  const databaseUrl = `postgres://postgres@127.0.0.1:${platform.SIGHTLINE_POSTGRES_PORT}/postgres`;
  const keysUrl = `${localIdentity(set)}/.well-known/jwks.json`;
  const derived: Environment = {
    SIGHTLINE_HOME: home,
    DATABASE_URL: main ?? databaseUrl,
    CODEINDEX_DATABASE_URL: code ?? databaseUrl,
    OBSERVABILITY_REDIS_URL: `redis://127.0.0.1:${platform.SIGHTLINE_REDIS_PORT}`,
    CODEINDEX_DATA_DIR: join(home, "code-index"),
    CODEINDEX_JWT_JWKS_URL: keysUrl,
    IDENTITY_JWKS_URL: keysUrl,
    IDENTITY_URL: localIdentity(set),
    CODEINDEX_URL: `http://127.0.0.1:${set["CODEINDEX_PORT"] ?? "8080"}`,
    OBSERVABILITY_URL: `http://127.0.0.1:${set["OBSERVABILITY_PORT"] ?? "8000"}`,
    ...(set["CONSOLE_PORT"] === undefined ? {} : { PUBLIC_URL: `http://localhost:${set["CONSOLE_PORT"]}` }),
    ...(set["CODEINDEX_PORT"] === undefined ? {} : { CODEINDEX_PUBLIC_URL: `http://localhost:${set["CODEINDEX_PORT"]}` }),
    ...(embeddedPostgres ? { DATABASE_POOL_SIZE: EMBEDDED_POOL_SIZE, CODEINDEX_DATABASE_POOL_SIZE: EMBEDDED_POOL_SIZE } : {}),
  };
  const environment = { ...derived, ...set, SIGHTLINE_HOME: home };
  return { platform: readConfig(platformVariables, environment), environment, embeddedPostgres, embeddedRedis };
}

function localIdentity(set: Environment): string {
  return `http://127.0.0.1:${set["IDENTITY_PORT"] ?? "8070"}`;
}
