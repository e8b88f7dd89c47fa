import { useQuery } from "@tanstack/react-query";
import { mcpEndpointQuery } from "#features/tokens/api/mcp-endpoint.ts";
import { useApi } from "#http/api-context.ts";
import { reachableAddress } from "#http/reachable-address.ts";

/** Until the code index has said its own. */
const DEFAULT_API = "http://localhost:8080";

/** Where hosts send their deliveries: the code index's own address. */
export function useWebhookAddress(): string {
  const { data = DEFAULT_API } = useQuery(mcpEndpointQuery(useApi()));
  return reachableAddress(window.location, new URL("/api/v1/ingest/webhook", data).href);
}
