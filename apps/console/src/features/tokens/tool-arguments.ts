import type { McpTool } from "#features/tokens/api/call-mcp.ts";

export type ToolField = {
  readonly name: string;
  readonly kind: "text" | "number" | "flag";
  readonly required: boolean;
  readonly description: string;
  /** What stands for it while nothing is given. */
  readonly placeholder: string;
};

/** What a tool's form asks for: what it must have first. */
export function listToolFields({ inputSchema: { properties, required } }: McpTool): readonly ToolField[] {
  const fields = Object.entries(properties).map(([name, { type, description = "", default: standard }]): ToolField => {
    const kind = type === "boolean" ? "flag" : type === "integer" || type === "number" ? "number" : "text";
    return {
      name,
      kind,
      required: required.includes(name),
      description,
      placeholder: standard === undefined ? "" : JSON.stringify(standard),
    };
  });
  return fields.toSorted((one, other) => Number(other.required) - Number(one.required));
}

/** The call's arguments as typed; what was left empty is left out. */
export function toArguments(fields: readonly ToolField[], typed: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }) => {
      const text = typed[name] ?? "";
      if (text.trim() === "") {
        return [];
      }
      return [[name, kind === "number" ? Number(text) : kind === "flag" ? text === "true" : text]];
    }),
  );
}
