import { readFile } from "node:fs/promises";
import { createProgram } from "#cli/program.ts";
import { describeMcpTools, describeRoles, type DescribedMetric, type DescribedRole } from "./describe-roles.ts";
import { renderRoutes } from "./render-routes.ts";
import { renderVariables } from "./render-variables.ts";
import type { Command } from "commander";
import { z } from "zod";
import { renderLimits, table, renderType, type JsonSchema } from "./render-schema.ts";
import type { DescribedTool } from "@sightline/code-index";

/** Metrics that every Node process has. */
const OF_NODE = /^(process|nodejs)_/;

function renderMetrics(roles: readonly DescribedRole[]): string {
  const served = new Map<string, { readonly metric: DescribedMetric; readonly by: string[] }>();
  for (const { role, metrics } of roles) {
    for (const metric of metrics.filter(({ name }) => !OF_NODE.test(name))) {
      const known = served.get(metric.name) ?? { metric, by: [] };
      known.by.push(role);
      served.set(metric.name, known);
    }
  }
  const rows = [...served.values()]
    .toSorted((one, other) => one.metric.name.localeCompare(other.metric.name, "en"))
    .map(({ metric, by }) => {
      const labels = metric.labelNames.map((label) => `\`${label}\``).join(" ");
      return [`\`${metric.name}\``, metric.type, labels, by.join(", "), metric.help];
    });
  return [
    "# Metrics",
    "`GET /metrics` of each role, in Prometheus' format, at the role's own port and never through the console. Every metric has the label `role`. Beside these each process tells of itself as Node's client library does (`process_…`, `nodejs_…`). The console has the duration of its answers and those of the process.",
    table(["metric", "type", "labels", "told by", "what it is"], rows),
    "Rules to alert on them: [prometheus-alerts.yml](../prometheus-alerts.yml), and why those: [Metrics and alerts](../observability.md#metrics-and-alerts).",
  ].join("\n\n");
}

const objectSchema = z.object({ properties: z.record(z.string(), z.looseObject({})), required: z.array(z.string()).default([]) });
const eventSchema = z.object({ oneOf: z.array(objectSchema) });

/** Renders the JSON Schema of the stream's events, which is itself written from the code. */
function renderEvents(schema: unknown): string {
  const kinds = eventSchema.parse(schema).oneOf;
  const [first] = kinds;
  const head = Object.entries(first?.properties ?? {}).filter(([name]) => name !== "type" && name !== "body");
  return [
    "# Events of the stream",
    "What SDKs put on the Redis stream. An entry's fields are texts; `body` is JSON with the fields of its type. What each type is for: [Events](../observability.md#events). As JSON Schema: [event-v1.schema.json](../../packages/observability/events/event-v1.schema.json).",
    "## Every event",
    fieldTable([...head, ["type", {}], ["body", {}]], ["v", "id", "project_id", "producer_id", "seq", "ts", "type", "body"]),
    ...kinds.flatMap(({ properties }) => {
      const body = objectSchema.safeParse(properties["body"]).data;
      const type = String(properties["type"]?.["const"]);
      return [`## ${type}`, body === undefined ? "Any body." : fieldTable(Object.entries(body.properties), body.required)];
    }),
  ].join("\n\n");
}

function fieldTable(fields: readonly (readonly [string, JsonSchema])[], required: readonly string[]): string {
  return table(
    ["field", "type", "limits"],
    fields.map(([name, schema]) => {
      const [field, type, limits] = cellsOf(name, schema, required);
      return [field, name === "type" ? "one of the headings below" : name === "body" ? "JSON" : type, limits];
    }),
  );
}

function cellsOf(name: string, schema: JsonSchema, required: readonly string[]): readonly [string, string, string] {
  const limits = [required.includes(name) ? "required" : "", renderLimits(schema)].filter((text) => text !== "").join(", ");
  return [`\`${name}\``, renderType(schema), limits];
}

const EVENT_SCHEMA = new URL("../../../packages/observability/events/event-v1.schema.json", import.meta.url);
const NOTE = "<!-- Written from the code by `npm run documents -w @sightline/platform`; change it there. -->";

/** Renders the pages of `docs/reference` by their names. */
export async function renderReference(): Promise<Readonly<Record<string, string>>> {
  const roles = await describeRoles();
  const pages = {
    "variables.md": renderVariables(),
    "commands.md": renderCommands(createProgram()),
    "routes.md": renderRoutes(roles),
    "mcp-tools.md": renderTools(describeMcpTools()),
    "events.md": renderEvents(JSON.parse(await readFile(EVENT_SCHEMA, "utf8"))),
    "metrics.md": renderMetrics(roles),
  };
  return Object.fromEntries(Object.entries(pages).map(([name, text]) => [name, `${NOTE}\n\n${text}\n`]));
}

/** Renders every command with its `--help`. */
function renderCommands(program: Command): string {
  return [
    "# Commands",
    "In a checkout `sightline …` is `npm run sightline -- …`, in the container image `docker compose run --rm operator …` (its entry point is the program). `./.env` is read from the folder it is run in.",
    ...commandsOf(program).map(({ name, command }) => `## ${name}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``),
  ].join("\n\n");
}

type Named = { readonly name: string; readonly command: Command };

function commandsOf(command: Command, above = ""): readonly Named[] {
  const name = `${above} ${command.name()}`.trim();
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== "help");
  return [{ name, command }, ...below.flatMap((one) => commandsOf(one, name))];
}

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 120, getOutHasColors: () => false });
  command.outputHelp();
  return text.trim();
}

function renderTools(tools: readonly DescribedTool[]): string {
  return [
    "# MCP tools",
    "What `tools/list` tells an assistant, word for word. How long answers are, cancelling and limits: [MCP](../mcp.md). The tools of traces, and from `list_issues` on those of evaluation, are offered to whom [they are open](../mcp.md#authorization).",
    tools.map(({ name, title }) => `- [\`${name}\`](#${name}): ${title}`).join("\n"),
    ...tools.flatMap(renderTool),
  ].join("\n\n");
}

function renderTool({ name, title, description, inputSchema }: DescribedTool): readonly string[] {
  const rows = Object.entries(inputSchema.properties).map(([field, schema]: readonly [string, JsonSchema]) => [
    ...cellsOf(field, schema, inputSchema.required),
    typeof schema["description"] === "string" ? schema["description"] : "",
  ]);
  return [`## ${name}`, `${title}. ${description}`, table(["takes", "type", "limits", "meaning"], rows)];
}
