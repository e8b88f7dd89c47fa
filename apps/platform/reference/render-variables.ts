import { table } from "./render-schema.ts";
import { describeVariables, type Variables, type Variable } from "@sightline/foundation/config";
import { roleNames, type RoleName } from "#settings/role-names.ts";
import { environmentOfRole, variableGroups } from "#settings/roles.ts";

export function renderVariables(): string {
  return [
    "# Variables",
    "All of them, from the code that reads them. `./.env` is read at the start; what is set in the environment wins, and an empty value counts as not set. [`.env.example`](../../.env.example) has the same to copy from. The SDK's own variables (`OBS_…`) are in [its README](../../packages/sdk/README.md#settings).",
    "With nothing set `npm start` embeds its stores and makes its secrets. Each role is given what it reads and nothing else, so that no process holds a secret it has no use for:",
    table(
      ["role", "secrets it is given"],
      roleNames.map((role) => [`\`${role}\``, secretsOf(role)]),
    ),
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

/** How each required secret is made, for people. */
const RECIPES: Readonly<Record<string, string>> = {
  SECRET_KEY: "openssl rand -hex 32",
  API_KEY: "echo studio_$(openssl rand -hex 32)",
  CODEINDEX_WEBHOOK_SECRET: "openssl rand -hex 32",
  CODEINDEX_ENCRYPTION_KEYS: "echo k1:$(openssl rand -hex 32)",
  ENCRYPTION_KEYS: "echo k1:$(openssl rand -hex 32)",
};

/** The text of `.env.example`: every variable with its meaning, those with a default commented out. */
export function renderEnvironmentExample(): string {
  const head = [
    "# Sightline reads ./.env at its start. Without any of these, `npm start` embeds its stores and makes its secrets.",
    "# Written from the variables of the code by `npm run documents -w @sightline/platform`; change it there.",
    "# A value with ` #` in it needs quotes, single or double: without them a # after a blank begins a comment. Docker Compose reads it alike.",
  ];
  const seen = new Set<string>();
  const groups = variableGroups.flatMap(({ title, variables }) => {
    const rows = Object.entries(variables).filter(([name]) => !seen.has(name));
    for (const [name] of rows) {
      seen.add(name);
    }
    return ["", `# --- ${title} ---`, ...rows.flatMap(([name, variable]) => describeVariable(name, variable))];
  });
  return `${[...head, ...groups].join("\n")}\n`;
}

function describeVariable(name: string, variable: Variable): readonly string[] {
  const recipe = RECIPES[name];
  return ["", `# ${variable.doc}`, ...(recipe === undefined ? [] : [`# Make one: ${recipe}`]), `#${name}=${variable.default ?? ""}`];
}
