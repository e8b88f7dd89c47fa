import { McpServer } from "@modelcontextprotocol/server";
import { commitSearchTool } from "#mcp/tools/commit-search.ts";
import { findReferencesTool } from "#mcp/tools/find-references.ts";
import { findSymbolTool } from "#mcp/tools/find-symbol.ts";
import { grepTool } from "#mcp/tools/grep.ts";
import { indexStatusTool } from "#mcp/tools/index-status.ts";
import { listFilesTool } from "#mcp/tools/list-files.ts";
import { listReposTool } from "#mcp/tools/list-repos.ts";
import { readCommitTool } from "#mcp/tools/read-commit.ts";
import { readFileTool } from "#mcp/tools/read-file.ts";
import { addFileResources } from "./resources.ts";
import { searchTool } from "#mcp/tools/search.ts";
import type { Person } from "#http/kit/request-tenant.ts";
import { z } from "zod";
import { countTokens, takeTokens } from "#tokens/count-tokens.ts";
import { addTool, takenBy, type Tool, type ToolContext } from "#mcp/kit/tool.ts";

const INSTRUCTIONS = `This server searches the team's own source code, as last indexed. These tools only read:
- search: where something lives; ask in plain words, or give an identifier, a path or a message. Start here.
- grep: every line that holds a text or matches a regular expression.
- find_symbol: where a name is defined; find_references: its callers and other uses.
- read_file: read around the lines found; name start and end, whole files are long.
- commit_search: when and why something last changed; read_commit: its diff, or between two.
- list_repos, list_files: what there is. index_status: how new it is, when something is missing.
Name repo as soon as you know it. Answers are cut to max_tokens (2,000 unless you say otherwise); they say what was cut, and cursor goes on.`;

/** Lists change without word of it: a session is not kept, so nobody would hear it. */
const CAPABILITIES = { tools: { listChanged: false }, resources: { listChanged: false } };

const TOOLS: readonly Tool[] = [
  searchTool,
  grepTool,
  readFileTool,
  findSymbolTool,
  findReferencesTool,
  commitSearchTool,
  readCommitTool,
  listFilesTool,
  listReposTool,
  indexStatusTool,
];

type ServerOptions = ToolContext & {
  readonly version: string;
  readonly person: Person | undefined;
  readonly plugin: PluginTools | undefined;
};

/** The code index as one MCP server: made for one request, it sees what that request's token opens. */
export async function createCodeIndexServer({ version, person, plugin, ...context }: ServerOptions): Promise<McpServer> {
  const offered = person !== undefined && plugin !== undefined && (await plugin.isOffered()) ? offerTo(person, plugin) : undefined;
  const instructions = [INSTRUCTIONS, ...(offered?.instructions ?? [])].join("\n\n");
  const server = new McpServer(
    { name: "sightline-code-index", title: "Sightline code index", version },
    { instructions, capabilities: CAPABILITIES },
  );
  for (const tool of TOOLS) {
    addTool(server, context, tool);
  }
  addFileResources(server, context);
  if (offered !== undefined) {
    const asker = { person: offered.person, countTokens, takeTokens };
    for (const tool of offered.tools) {
      addTool(server, context, {
        ...tool,
        answer: (given, { signal, maxTokens }) => tool.answer(given, { ...asker, signal, maxTokens }),
      });
    }
  }
  return server;
}

function offerTo(person: Person, { evaluation, ...traces }: PluginTools) {
  const toolsets = person.evaluation ? [traces, evaluation] : [traces];
  return { person, instructions: toolsets.map((set) => set.instructions), tools: toolsets.flatMap((set) => set.tools) };
}

/** The input of a plug-in tool: whom it answers, how long its answer may be, and a signal aborted when nobody waits any more. */
export type PluginToolCall = {
  readonly person: Person;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  readonly countTokens: (text: string) => number;
  /** The beginning of a text that has so many tokens. */
  readonly takeTokens: (text: string, limit: number) => string;
};

/** A tool of another part: it checks itself what the person may see. `max_tokens` is added to what it takes. */
export type PluginTool = Omit<Tool, "answer"> & { readonly answer: (given: unknown, call: PluginToolCall) => Promise<string> };

type Toolset = {
  /** A paragraph on the tools for the server's instructions. */
  readonly instructions: string;
  readonly tools: readonly PluginTool[];
};

/** Tools of another part on this endpoint; the platform, which knows both parts, passes them in. */
export type PluginTools = Toolset & {
  readonly isOffered: () => Promise<boolean>;
  /** Those that only tokens with evaluation are told of. */
  readonly evaluation: Toolset;
};

export function exactValuesOf(plugin: PluginTools | undefined): ReadonlySet<string> {
  const tools = plugin === undefined ? [] : [...plugin.tools, ...plugin.evaluation.tools];
  return new Set(tools.flatMap(({ exactValues = [] }) => [...exactValues]));
}

export type DescribedTool = Pick<Tool, "name" | "title" | "description"> & { readonly inputSchema: Fields };

type Fields = z.infer<typeof fieldsSchema>;
const fieldsSchema = z.object({
  properties: z.record(z.string(), z.looseObject({})).default({}),
  required: z.array(z.string()).default([]),
});

/** Every tool of `/mcp`, plug-in tools included, as clients see them. */
export function describeTools(plugin: PluginTools): readonly DescribedTool[] {
  return [...TOOLS, ...plugin.tools, ...plugin.evaluation.tools].map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: fieldsSchema.parse(z.toJSONSchema(takenBy(tool), { io: "input" })),
  }));
}
