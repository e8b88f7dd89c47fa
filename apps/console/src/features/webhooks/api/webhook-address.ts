import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import type { Api } from "#http/api.ts";
import { reachableAddress } from "#http/reachable-address.ts";

/** Where hosts send their deliveries: the code index's own address. */
export function webhookAddressQuery(api: Api) {
  return queryOptions({
    queryKey: ["webhook address"],
    queryFn: async ({ signal }) => {
      const answer = z.object({ resource: z.url() });
      const { resource } = await api.request({ part: "code-index", path: "/.well-known/oauth-protected-resource", answer, signal });
      return reachableAddress(window.location, new URL("/api/v1/ingest/webhook", resource).href);
    },
    staleTime: Infinity,
  });
}
