import { codeIndexVariables, indexerVariables } from "@sightline/code-index/settings";
import { pickVariables, readConfig, type Variables, postgresUrlVariable } from "@sightline/foundation/config";
import { identityVariables } from "@sightline/identity/settings";
import { consumerVariables, observabilityVariables } from "@sightline/observability/settings";
import { uploadVariables, platformVariables } from "#config.ts";
import type { Environment } from "./environment.ts";
import type { RoleName } from "./role-names.ts";

/** The variables by which the code index offers traces to assistants beside code. */
export const tracesOverMcpVariables = {
  DATABASE_URL: {
    doc: "PostgreSQL of identity and observability; without it MCP has no tools for traces.",
    schema: postgresUrlVariable().optional(),
    secret: true,
  },
} as const satisfies Variables;

/** The variables by which the code index mails what watched searches found. */
export const watchMailVariables = {
  ...tracesOverMcpVariables,
  ...pickVariables(identityVariables, ["PUBLIC_URL", "SMTP_FROM", "SMTP_URL"]),
};

type RoleDescription = {
  /** The variables that the role reads, beside the platform's own. */
  readonly variables: Variables;
  /** The variable of the port that it listens on; undefined when it serves no HTTP. */
  readonly portVariable: string | undefined;
};

const roles: Readonly<Record<RoleName, RoleDescription>> = {
  identity: { variables: identityVariables, portVariable: "IDENTITY_PORT" },
  "code-index": { variables: { ...codeIndexVariables, ...watchMailVariables }, portVariable: "CODEINDEX_PORT" },
  indexer: { variables: indexerVariables, portVariable: undefined },
  observability: {
    variables: { ...identityVariables, ...observabilityVariables },
    portVariable: "OBSERVABILITY_PORT",
  },
  consumer: {
    variables: { ...consumerVariables, ...pickVariables(identityVariables, ["DATABASE_POOL_SIZE"]) },
    portVariable: "OBSERVABILITY_CONSUMER_PORT",
  },
  console: { variables: pickVariables(identityVariables, ["LOG_LEVEL"]), portVariable: "CONSOLE_PORT" },
};

export function describeRole(role: RoleName): RoleDescription {
  return roles[role];
}

/** Every variable there is, grouped by the part that owns it. */
export const variableGroups: readonly { readonly title: string; readonly variables: Variables }[] = [
  { title: "Platform", variables: platformVariables },
  { title: "Identity", variables: identityVariables },
  { title: "Code index", variables: codeIndexVariables },
  { title: "Observability", variables: observabilityVariables },
  { title: "Uploading SCIP indexes", variables: uploadVariables },
];

/** Variables that only the start itself reads, to make the first admin. */
const READ_BY_START = ["ADMIN_EMAIL", "ADMIN_PASSWORD"];

/** Keeps the variables that the role reads and all that are not Sightline's, so that no process holds a secret it has no use for. */
export function environmentOfRole(role: RoleName, environment: Environment): Environment {
  const read = Object.keys(describeRole(role).variables).filter((name) => !READ_BY_START.includes(name));
  return withoutOthers(environment, read);
}

/** Keeps the variables of the embedded stores' processes. */
export function environmentOfStore(environment: Environment): Environment {
  return withoutOthers(environment, []);
}

function withoutOthers(environment: Environment, read: readonly string[]): Environment {
  const given = new Set([...Object.keys(platformVariables), ...read]);
  const ours = new Set(variableGroups.flatMap(({ variables }) => Object.keys(variables)));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => given.has(name) || !ours.has(name)));
}

/** The port a role listens on, as its own configuration has it. */
export function findPort(role: RoleName, environment: Environment): number | undefined {
  const { portVariable, variables } = describeRole(role);
  const all: Variables = { ...platformVariables, ...variables };
  const variable = portVariable === undefined ? undefined : all[portVariable];
  if (portVariable === undefined || variable === undefined) {
    return undefined;
  }
  const port = readConfig({ [portVariable]: variable }, environment)[portVariable];
  return typeof port === "number" ? port : undefined;
}
