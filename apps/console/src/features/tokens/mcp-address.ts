const MCP_PORT = 8080;
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Where assistants find the MCP endpoint: where the code index says, unless it names its
 * own machine to somebody on another; then on the host that serves this page.
 */
export function mcpAddress(page: { readonly protocol: string; readonly hostname: string }, advertised: string | undefined): string {
  const derived = `${page.protocol}//${page.hostname}:${MCP_PORT}/mcp`;
  if (advertised === undefined || !URL.canParse(advertised)) {
    return derived;
  }
  const meansItself = LOOPBACK.has(new URL(advertised).hostname) && !LOOPBACK.has(page.hostname);
  return meansItself ? derived : advertised;
}
