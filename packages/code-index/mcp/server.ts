import { McpServer } from "@modelcontextprotocol/server";
import type { SearchDependencies } from "#retrieval/search/search.ts";
import type { Access } from "#store/tenancy/read-scope.store.ts";
import { addCommitSearchTool } from "#mcp/tools/commit-search.ts";
import { addFindReferencesTool } from "#mcp/tools/find-references.ts";
import { addFindSymbolTool } from "#mcp/tools/find-symbol.ts";
import { addGrepTool } from "#mcp/tools/grep.ts";
import { addIndexStatusTool } from "#mcp/tools/index-status.ts";
import { addListFilesTool } from "#mcp/tools/list-files.ts";
import { addListReposTool } from "#mcp/tools/list-repos.ts";
import { addReadFileTool } from "#mcp/tools/read-file.ts";
import { addFileResources } from "./resources.ts";
import { addSearchTool } from "#mcp/tools/search.ts";
import type { Person } from "#http/kit/request-tenant.ts";
import type { z } from "zod";
import { countTokens, takeTokens } from "#tokens/count-tokens.ts";
import { addTool, maxTokensSchema, tokensWithin, type ToolAnswer, type ToolContext } from "#mcp/kit/tool.ts";

const INSTRUCTIONS = `This server searches the team's own source code, as last indexed. All tools only read.
- search: where something lives; ask in plain words, or give an identifier, a path or a message. Start here.
- grep: every line that holds a text or matches a regular expression.
- find_symbol: where a name is defined; find_references: its callers and other uses.
- read_file: read around the lines found; name start and end, whole files are long.
- commit_search: when and why something last changed.
- list_repos, list_files: what there is. index_status: how new it is, when something is missing.
Name repo as soon as you know it. Answers are cut to max_tokens (2,000 unless you say otherwise); they say what was cut, and cursor goes on.`;

type ServerOptions = SearchDependencies & {
  readonly version: string;
  readonly access: Access;
  readonly person: Person | undefined;
  readonly guest: Guest | undefined;
};

/** The code index as one MCP server: made for one request, it sees what that request's token opens. */
export async function createCodeIndexServer({ version, person, guest, ...context }: ServerOptions): Promise<McpServer> {
  const welcome = person !== undefined && guest !== undefined && (await guest.isOffered()) ? { guest, person } : undefined;
  const instructions = welcome === undefined ? INSTRUCTIONS : `${INSTRUCTIONS}\n\n${welcome.guest.instructions}`;
  const server = new McpServer({ name: "sightline-code-index", title: "Sightline code index", version }, { instructions });
  addSearchTool(server, context);
  addGrepTool(server, context);
  addReadFileTool(server, context);
  addFindSymbolTool(server, context);
  addFindReferencesTool(server, context);
  addCommitSearchTool(server, context);
  addListFilesTool(server, context);
  addListReposTool(server, context);
  addIndexStatusTool(server, context);
  addFileResources(server, context);
  if (welcome !== undefined) {
    addGuestTools(server, context, welcome);
  }
  return server;
}

/** What a guest's tool is called with: for whom, how long its answer may be in each of its forms, and when nobody waits for it any more. */
export type GuestCall = {
  readonly person: Person;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  readonly countTokens: (text: string) => number;
  /** The beginning of a text that has so many tokens. */
  readonly takeTokens: (text: string, limit: number) => string;
};

/** A tool of another part: it only reads, and checks itself what the person may see. `max_tokens` is added to what it takes. */
export type GuestTool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  readonly outputSchema: z.ZodObject;
  readonly answer: (given: unknown, call: GuestCall) => Promise<ToolAnswer>;
};

/** Another part's tools on this endpoint; whoever puts the parts together knows both. */
export type Guest = {
  /** What the server's instructions say of the tools. */
  readonly instructions: string;
  readonly isOffered: () => Promise<boolean>;
  readonly tools: readonly GuestTool[];
};

type Welcome = { readonly guest: Guest; readonly person: Person };

export function addGuestTools(server: McpServer, context: ToolContext, { guest, person }: Welcome): void {
  for (const { inputSchema, answer, ...tool } of guest.tools) {
    addTool(server, context, {
      ...tool,
      inputSchema: inputSchema.extend({ max_tokens: maxTokensSchema }),
      answer: ({ max_tokens: maxTokens, ...given }, { signal }) =>
        answer(given, { person, signal, maxTokens: tokensWithin(maxTokensSchema.parse(maxTokens)), countTokens, takeTokens }),
    });
  }
}
