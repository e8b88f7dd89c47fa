import { createMcpHandler, McpServer, type AuthInfo, type McpHttpHandler } from "@modelcontextprotocol/server";
import type { SearchDependencies } from "#retrieval/search.ts";
import type { Access } from "#store/read-scope.store.ts";
import { addListReposTool } from "./mcp-list-repos.ts";
import { addReadFileTool } from "./mcp-read-file.ts";
import { addSearchTool } from "./mcp-search.ts";

const INSTRUCTIONS = `This server searches the team's own source code, as last indexed.
Start with search: ask in plain words for behaviour, or give an exact identifier or message. Narrow with repo, path or lang.
Then read_file around the lines found. list_repos says which repositories and commits are searched.
Answers are cut to max_tokens (2,000 unless you say otherwise) and say what was cut.`;

export type McpEndpoint = {
  /** Serves one HTTP request, which sees what its token was verified to open. */
  readonly serve: (request: Request, access: Access) => Promise<Response>;
  readonly close: () => Promise<void>;
};

/** Serves MCP 2025-11-25 and the stateless 2026-07-28 from one factory, a fresh server for each request. */
export function createMcpEndpoint(dependencies: SearchDependencies & { readonly version: string }): McpEndpoint {
  const { version, log } = dependencies;
  // Keyed by the very object that goes in with a request, so that a server can't get at what another request may see.
  const accesses = new WeakMap<AuthInfo, Access>();

  const handler: McpHttpHandler = createMcpHandler(
    ({ authInfo }) => {
      const access = authInfo === undefined ? undefined : accesses.get(authInfo);
      if (access === undefined) {
        throw new Error("an MCP request came without its tenant");
      }
      const server = new McpServer(
        { name: "sightline-code-index", title: "Sightline code index", version },
        { instructions: INSTRUCTIONS },
      );
      const context = { ...dependencies, access };
      addSearchTool(server, context);
      addReadFileTool(server, context);
      addListReposTool(server, context);
      return server;
    },
    { onerror: (error) => log.debug({ reason: error.message }, "an MCP request was refused") },
  );

  return {
    close: handler.close,
    serve: (request, access) => {
      // The token itself ends at the authenticator.
      const authInfo: AuthInfo = { token: "", clientId: access.tenant.tenantId, scopes: [] };
      accesses.set(authInfo, access);
      return handler.fetch(request, { authInfo });
    },
  };
}
