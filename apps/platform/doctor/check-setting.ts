import { codeIndexVariables, problemsOfEmbedder, problemsOfReranker } from "@sightline/code-index/settings";
import { ConfigError, listConfigProblems, readConfig } from "@sightline/foundation/config";
import { identityVariables, problemsOfFirstAdmin } from "@sightline/identity/settings";
import { z } from "zod";
import { platformVariables } from "#config.ts";
import { deriveEnvironment, type Environment, type Setting } from "#settings/environment.ts";
import type { RoleName } from "#settings/role-names.ts";
import { describeRole, findPort } from "#settings/roles.ts";
import type { NeededPort } from "#settings/ports.ts";
import { makeSecrets } from "#settings/secrets.ts";

/** Without an embedded database a missing webhook secret is reported as a mistake, although the code index itself starts without it. */
const WEBHOOK_SECRET = {
  CODEINDEX_WEBHOOK_SECRET: {
    ...codeIndexVariables.CODEINDEX_WEBHOOK_SECRET,
    doc: "Secret shared with the source hosts, for the webhooks of repositories that have none of their own. Make it with `openssl rand -hex 32`.",
    schema: z.string().min(16, "expected at least 16 characters"),
  },
};

/** The addresses that are those of embedded stores where they are not set. */
const STORES = ["DATABASE_URL", "CODEINDEX_DATABASE_URL", "OBSERVABILITY_REDIS_URL"];

/**
 * Reads the configuration of the platform and of every role that is to start. Where the databases were prepared before, a role needs its
 * own variables alone, and the addresses of its stores among them.
 *
 * @throws {ConfigError} with the problems of all of them at once.
 */
export function demandValidConfig(roles: readonly RoleName[], given: Environment, { prepared = false } = {}): void {
  const derived = deriveEnvironment(given);
  // A start with an embedded database makes the secrets that are not set.
  const whole = derived.embeddedPostgres ? { ...makeSecrets(), ...derived.environment } : derived.environment;
  const environment = prepared ? { ...derived.environment, ...Object.fromEntries(STORES.map((name) => [name, given[name]])) } : whole;
  const groups = [
    platformVariables,
    // Every start prepares both databases, whatever roles it runs then.
    ...(prepared ? [] : [identityVariables, codeIndexVariables]),
    ...roles.map((role) => describeRole(role).variables),
    ...(roles.includes("code-index") ? [WEBHOOK_SECRET] : []),
  ];
  // Parts that share a variable describe it in words of their own; one problem with it is enough.
  const problems = new Map<string, readonly string[]>();
  for (const [name, variable] of groups.flatMap((variables) => Object.entries(variables))) {
    const found = !prepared && isTakenOver(name, given) ? [] : listConfigProblems(() => readConfig({ [name]: variable }, environment));
    if (found.length > 0 && !problems.has(name)) {
      problems.set(name, found);
    }
  }
  const unmet =
    problems.size === 0 && !prepared
      ? [...problemsOfFirstAdmin(readConfig(identityVariables, environment)), ...providerProblems(roles, environment)]
      : [];
  if (problems.size + unmet.length > 0) {
    throw new ConfigError([...[...problems.values()].flat(), ...unmet]);
  }
}

/** Whether a database's address is only the other one's, of which a problem is told already. */
function isTakenOver(name: string, given: Environment): boolean {
  const other = { DATABASE_URL: "CODEINDEX_DATABASE_URL", CODEINDEX_DATABASE_URL: "DATABASE_URL" }[name];
  return other !== undefined && !given[name] && Boolean(given[other]);
}

/** Checks the variables of the embedder and the reranker, which depend on which they are. */
function providerProblems(roles: readonly RoleName[], environment: Environment): readonly string[] {
  if (!roles.includes("code-index") && !roles.includes("indexer")) {
    return [];
  }
  const config = readConfig(codeIndexVariables, environment);
  return [...problemsOfEmbedder(config), ...(roles.includes("code-index") ? problemsOfReranker(config) : [])];
}

/** Lists every port that these roles open. */
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
    const port = findPort(role, environment);
    const variable = describeRole(role).portVariable;
    return port === undefined || variable === undefined ? [] : [{ port, host: platform.SIGHTLINE_HOST, use: role, variable }];
  });
  return [...stores, ...listeners];
}
