import { describeVariables, type Variables } from "@sightline/foundation/config";
import { roleNames, type RoleName } from "#settings/role-names.ts";
import { environmentOfRole, variableGroups } from "#settings/roles.ts";

export function renderVariables(): string {
  return [
    "# Variables",
    "All of them, from the code that reads them. `./.env` is read at the start; what is set in the environment wins, and an empty value counts as not set. [`.env.example`](../../.env.example) has the same to copy from. The SDK's own variables (`OBS_…`) are in [its README](../../packages/sdk/README.md#settings).",
    "With nothing set `npm start` embeds its stores and makes its secrets. Each role is given what it reads and nothing else, so that no process holds a secret it has no use for:",
    ["| role | secrets it is given |", "| --- | --- |", ...roleNames.map((role) => `| \`${role}\` | ${secretsOf(role)} |`)].join("\n"),
    ...variableGroups.flatMap(({ title, variables }) => [`## ${title}`, describeVariables(variables)]),
  ].join("\n\n");
}

const SECRETS = variableGroups.flatMap(({ variables }: { readonly variables: Variables }) =>
  Object.entries(variables).flatMap(([name, { secret }]) => (secret === true ? [name] : [])),
);

function secretsOf(role: RoleName): string {
  const given = environmentOfRole(role, Object.fromEntries(SECRETS.map((name) => [name, ""])));
  const names = Object.keys(given).map((name) => `\`${name}\``);
  return names.length === 0 ? "none" : names.join(" ");
}
