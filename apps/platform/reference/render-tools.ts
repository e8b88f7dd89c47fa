import type { DescribedTool } from "@sightline/code-index";
import { cell, limitsOf, typeOf, type JsonSchema } from "./render-schema.ts";

export function renderTools(tools: readonly DescribedTool[]): string {
  return [
    "# MCP tools",
    "What `tools/list` tells an assistant, word for word. How long answers are, cancelling and limits: [MCP](../mcp.md). The tools of traces are offered to whom [traces are open](../mcp.md#authorization).",
    tools.map(({ name, title }) => `- [\`${name}\`](#${name}): ${title}`).join("\n"),
    ...tools.flatMap(renderTool),
  ].join("\n\n");
}

function renderTool({ name, title, description, inputSchema, outputSchema }: DescribedTool): readonly string[] {
  const rows = Object.entries(inputSchema.properties).map(([field, schema]) => {
    const needed = inputSchema.required.includes(field) ? "required" : limitsOf(schema);
    const limits = needed === "required" ? [needed, limitsOf(schema)].filter((text) => text !== "").join(", ") : needed;
    return `| \`${field}\` | ${cell(typeOf(schema))} | ${cell(limits)} | ${cell(meaningOf(schema))} |`;
  });
  return [
    `## ${name}`,
    `${title}. ${description}`,
    ["| takes | type | limits | meaning |", "| --- | --- | --- | --- |", ...rows].join("\n"),
    `Answers: ${Object.keys(outputSchema.properties)
      .map((field) => `\`${field}\``)
      .join(", ")}.`,
  ];
}

function meaningOf({ description }: JsonSchema): string {
  return typeof description === "string" ? description : "";
}
