import { readFile } from "node:fs/promises";
import { createProgram } from "#cli/program.ts";
import { describeMcpTools, describeRoles } from "./describe-roles.ts";
import { renderCommands } from "./render-commands.ts";
import { renderEvents } from "./render-events.ts";
import { renderMetrics } from "./render-metrics.ts";
import { renderRoutes } from "./render-routes.ts";
import { renderTools } from "./render-tools.ts";
import { renderVariables } from "./render-variables.ts";

const EVENT_SCHEMA = new URL("../../../packages/observability/events/event-v1.schema.json", import.meta.url);
const NOTE = "<!-- Written from the code by `npm run documents -w @sightline/platform`; change it there. -->";

/** The pages of `docs/reference` by their names, as the code has them. */
export async function renderReference(): Promise<Readonly<Record<string, string>>> {
  const roles = await describeRoles();
  const pages = {
    "variables.md": renderVariables(),
    "commands.md": renderCommands(createProgram()),
    "routes.md": renderRoutes(roles),
    "mcp-tools.md": renderTools(await describeMcpTools()),
    "events.md": renderEvents(JSON.parse(await readFile(EVENT_SCHEMA, "utf8"))),
    "metrics.md": renderMetrics(roles),
  };
  return Object.fromEntries(Object.entries(pages).map(([name, text]) => [name, `${NOTE}\n\n${text}\n`]));
}
