import { UsageError } from "./failure.ts";

/** The roles in the order of their start; they are stopped in reverse. */
export const roleNames = ["identity", "code-index", "indexer", "observability", "consumer", "console"] as const;

export type RoleName = (typeof roleNames)[number];

export const roleTasks: Readonly<Record<RoleName, string>> = {
  identity: "login, accounts, signing keys",
  "code-index": "code search: /mcp, /api/v1, webhooks",
  indexer: "takes index jobs",
  observability: "traces: API and live updates",
  consumer: "writes the event stream to PostgreSQL",
  console: "the web app and its proxy to the APIs",
};

/** @throws {UsageError} naming the roles there are. */
export function parseRole(name: string): RoleName {
  const role = roleNames.find((known) => known === name);
  if (role === undefined) {
    throw new UsageError(`There is no role "${name}". The roles are: ${roleNames.join(", ")}.`);
  }
  return role;
}
