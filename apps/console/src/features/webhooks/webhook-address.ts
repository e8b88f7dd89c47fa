/** Where hosts send their deliveries: beside the MCP endpoint, under whatever path the code index is served. */
export function webhookAddress(mcpEndpoint: string): string {
  return new URL("api/v1/ingest/webhook", mcpEndpoint).href;
}
