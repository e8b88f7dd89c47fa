import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { readConfig } from "@sightline/foundation/config";
import { platformVariables, type PlatformConfig } from "#config.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment with everything derived from it filled in. */
export type Setting = {
  readonly platform: PlatformConfig;
  readonly environment: Environment;
  readonly embeddedPostgres: boolean;
  readonly embeddedRedis: boolean;
};

/** All connections of the embedded database share one session, so a larger pool only makes them wait. */
const EMBEDDED_POOL_SIZE = "4";

/** Adds what `./.env` says to the environment; what is already set wins. */
export function loadEnvironmentFile(): void {
  if (existsSync(".env")) {
    Object.assign(process.env, { ...parseEnvironmentFile(readFileSync(".env", "utf8")), ...process.env });
  }
}

const UNQUOTED = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*([^\s"'`#].*?)(?:[ \t]+#.*)?[ \t]*$/gm;

/**
 * Reads the text of a `.env`, with or without a byte order mark. In a value without quotes a `#` begins a comment only
 * after a blank, as in Docker Compose, which reads the same file: Node.js cuts a password with one in it short.
 */
export function parseEnvironmentFile(marked: string): Environment {
  const text = marked.replace(/^\uFEFF/, "");
  const values = parseEnv(text);
  for (const [, name = "", value = ""] of text.matchAll(UNQUOTED)) {
    // A line within a value of several lines looks alike, and is no variable.
    if (values[name] === value.split("#")[0]) {
      values[name] = value;
    }
  }
  return values;
}

type Derived = Omit<Setting, "platform">;

/**
 * Decides what is embedded and derives what follows from it. One database address is enough for both databases;
 * only when there is neither is PostgreSQL embedded.
 */
export function deriveEnvironment(given: Environment): Derived {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ""));
  const valueOf = (name: Exclude<keyof typeof platformVariables, "METRICS_TOKEN">) => set[name] ?? platformVariables[name].default;
  const home = resolve(valueOf("SIGHTLINE_HOME"));
  const { DATABASE_URL: main = set["CODEINDEX_DATABASE_URL"], CODEINDEX_DATABASE_URL: code = main } = set;
  const databaseUrl = embeddedDatabaseUrl(set["SIGHTLINE_POSTGRES_PORT"]);
  const identityUrl = localUrl("127.0.0.1", set["IDENTITY_PORT"], "8070");
  const keysUrl = `${identityUrl}/.well-known/jwks.json`;
  const epochsUrl = `${identityUrl}/.well-known/credential-epochs`;
  const publicUrl = localUrl("localhost", set["CONSOLE_PORT"], "3000");
  const derived: Environment = {
    // The compile cache makes roles start a third faster from the second time on.
    NODE_COMPILE_CACHE: join(home, "compiled"),
    DATABASE_URL: main ?? databaseUrl,
    CODEINDEX_DATABASE_URL: code ?? databaseUrl,
    OBSERVABILITY_REDIS_URL: `redis://127.0.0.1:${valueOf("SIGHTLINE_REDIS_PORT")}`,
    CODEINDEX_DATA_DIR: join(home, "code-index"),
    // An operator who sets other keys uses another identity service, whose feed and issuer are not known here.
    ...(set["CODEINDEX_JWT_JWKS_URL"] === undefined
      ? { CODEINDEX_JWT_JWKS_URL: keysUrl, CODEINDEX_JWT_EPOCHS_URL: epochsUrl, CODEINDEX_JWT_ISSUER: set["PUBLIC_URL"] ?? publicUrl }
      : {}),
    ...(set["IDENTITY_JWKS_URL"] === undefined ? { IDENTITY_JWKS_URL: keysUrl, IDENTITY_EPOCHS_URL: epochsUrl } : {}),
    IDENTITY_URL: identityUrl,
    CODEINDEX_URL: localUrl("127.0.0.1", set["CODEINDEX_PORT"], "8080"),
    OBSERVABILITY_URL: localUrl("127.0.0.1", set["OBSERVABILITY_PORT"], "8000"),
    PUBLIC_URL: publicUrl,
    OBSERVABILITY_PUBLIC_URL: localUrl("localhost", set["OBSERVABILITY_PORT"], "8000"),
    CODEINDEX_PUBLIC_URL: localUrl("localhost", set["CODEINDEX_PORT"], "8080"),
    ...(main === undefined ? { DATABASE_POOL_SIZE: EMBEDDED_POOL_SIZE, CODEINDEX_DATABASE_POOL_SIZE: EMBEDDED_POOL_SIZE } : {}),
  };
  return {
    environment: { ...derived, ...set, SIGHTLINE_HOME: home },
    embeddedPostgres: main === undefined,
    embeddedRedis: set["OBSERVABILITY_REDIS_URL"] === undefined,
  };
}

/** The address of the embedded database. */
function embeddedDatabaseUrl(port: string | undefined): string {
  return `postgres://postgres@127.0.0.1:${port ?? platformVariables.SIGHTLINE_POSTGRES_PORT.default}/postgres`;
}

/** @throws {ConfigError} when a variable of the platform is wrong. */
export function resolveSetting(given: Environment): Setting {
  const derived = deriveEnvironment(given);
  return { ...derived, platform: readConfig(platformVariables, derived.environment) };
}

/** A port that is no number is reported for its own variable, so the address falls back to the default. */
function localUrl(host: string, port: string | undefined, fallback: string): string {
  const url = `http://${host}:${port ?? fallback}`;
  return URL.canParse(url) ? url : `http://${host}:${fallback}`;
}
