const MCP_PORT = 8080;

/** Where assistants find the MCP endpoint: on the host that serves this page, at the code index's own port. */
export function mcpAddress(page: { readonly protocol: string; readonly hostname: string }): string {
  return `${page.protocol}//${page.hostname}:${MCP_PORT}/mcp`;
}
