import type { Variable } from "@sightline/foundation/config";
import { variableGroups } from "#settings/roles.ts";

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
