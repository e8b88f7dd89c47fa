import { createMcpHandler, McpServer, type AuthInfo, type McpHttpHandler } from "@modelcontextprotocol/server";
import type { SearchDependencies } from "#retrieval/search.ts";
import type { Tenant } from "#store/tenant.ts";
import { addListReposTool } from "./mcp-list-repos.ts";
import { addReadFileTool } from "./mcp-read-file.ts";
import { addSearchTool } from "./mcp-search.ts";

const INSTRUCTIONS = `This server searches the team's own source code, as last indexed.
Start with search: ask in plain words for behaviour, or give an exact identifier or message. Narrow with repo, path or lang.
Then read_file around the lines found. list_repos says which repositories and commits are searched.
Answers are cut to max_tokens (2,000 unless you say otherwise) and say what was cut.`;

export type McpEndpoint = {
  /** Serves one HTTP request for the tenant that its token was verified to be of. */
  readonly serve: (request: Request, tenant: Tenant) => Promise<Response>;
  readonly close: () => Promise<void>;
};

/** Serves MCP 2025-11-25 and the stateless 2026-07-28 from one factory, a fresh server for each request. */
export function createMcpEndpoint(dependencies: SearchDependencies & { readonly version: string }): McpEndpoint {
  const { version, log } = dependencies;
  // Keyed by the very object that goes in with a request, so that a server can't get at another request's tenant.
  const tenants = new WeakMap<AuthInfo, Tenant>();

  const handler: McpHttpHandler = createMcpHandler(
    ({ authInfo }) => {
      const tenant = authInfo === undefined ? undefined : tenants.get(authInfo);
      if (tenant === undefined) {
        throw new Error("an MCP request came without its tenant");
      }
      const server = new McpServer(
        { name: "sightline-code-index", title: "Sightline code index", version },
        { instructions: INSTRUCTIONS },
      );
      const context = { ...dependencies, tenant };
      addSearchTool(server, context);
      addReadFileTool(server, context);
      addListReposTool(server, context);
      return server;
    },
    { onerror: (error) => log.debug({ reason: error.message }, "an MCP request was refused") },
  );

  return {
    close: handler.close,
    serve: (request, tenant) => {
      // The token itself ends at the authenticator.
      const authInfo: AuthInfo = { token: "", clientId: tenant.tenantId, scopes: [] };
      tenants.set(authInfo, tenant);
      return handler.fetch(request, { authInfo });
    },
  };
}
