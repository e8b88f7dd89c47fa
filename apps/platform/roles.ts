import { codeIndexVariables } from "@sightline/code-index";
import { readConfig, type Variables } from "@sightline/foundation/config";
import { identityVariables } from "@sightline/identity";
import { observabilityVariables } from "@sightline/observability";
import { platformVariables } from "./config.ts";
import type { RoleName } from "./role-names.ts";

type RoleDescription = {
  /** What the role reads from its environment, beside the platform's own variables. */
  readonly variables: Variables;
  /** The variable with the port it listens on, when it listens. */
  readonly portVariable: string | undefined;
};

const roles: Readonly<Record<RoleName, RoleDescription>> = {
  identity: { variables: identityVariables, portVariable: "IDENTITY_PORT" },
  "code-index": { variables: codeIndexVariables, portVariable: "CODEINDEX_PORT" },
  indexer: { variables: codeIndexVariables, portVariable: undefined },
  observability: {
    variables: { ...identityVariables, ...observabilityVariables },
    portVariable: "OBSERVABILITY_PORT",
  },
  consumer: { variables: observabilityVariables, portVariable: undefined },
  console: { variables: {}, portVariable: "CONSOLE_PORT" },
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
];

/** The port a role listens on, as its own configuration has it. */
export function portOf(role: RoleName, environment: Readonly<Record<string, string | undefined>>): number | undefined {
  const { portVariable, variables } = describeRole(role);
  const all: Variables = { ...platformVariables, ...variables };
  const variable = portVariable === undefined ? undefined : all[portVariable];
  if (portVariable === undefined || variable === undefined) {
    return undefined;
  }
  const port = readConfig({ [portVariable]: variable }, environment)[portVariable];
  return typeof port === "number" ? port : undefined;
}
