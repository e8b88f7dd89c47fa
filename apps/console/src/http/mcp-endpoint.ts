import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import type { Api } from "./api.ts";
import { reachableAddress } from "./reachable-address.ts";

const metadataSchema = z.object({ resource: z.url() });

/** The MCP endpoint's own address, as its metadata (RFC 9728) has it and as it is reached from here. */
export function mcpEndpointQuery(api: Api) {
  return queryOptions({
    queryKey: ["mcp endpoint"],
    queryFn: async ({ signal }) => {
      const path = "/.well-known/oauth-protected-resource";
      const { resource } = await api.request({ part: "code-index", path, answer: metadataSchema, signal });
      return reachableAddress(window.location, resource);
    },
    staleTime: Infinity,
  });
}
