import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import type { Api } from "#http/api.ts";

/** The MCP endpoint's own address, as its metadata (RFC 9728) has it. */
export function mcpEndpointQuery(api: Api) {
  return queryOptions({
    queryKey: ["mcp endpoint"],
    queryFn: async ({ signal }) => {
      const answer = z.object({ resource: z.string() });
      const { resource } = await api.request({ part: "code-index", path: "/.well-known/oauth-protected-resource", answer, signal });
      return resource;
    },
    staleTime: Infinity,
  });
}
