import { useQuery } from "@tanstack/react-query";
import { z } from "zod";
import { useApi } from "#http/api-context.ts";
import { reachableAddress } from "#http/reachable-address.ts";

/** Until the code index has said its own. */
const DEFAULT_API = "http://localhost:8080";

/** Where hosts send their deliveries: the code index's own address. */
export function useWebhookAddress(): string {
  const api = useApi();
  const { data = DEFAULT_API } = useQuery({
    queryKey: ["webhook address"],
    queryFn: async ({ signal }) => {
      const answer = z.object({ resource: z.url() });
      const { resource } = await api.request({ part: "code-index", path: "/.well-known/oauth-protected-resource", answer, signal });
      return resource;
    },
    staleTime: Infinity,
  });
  return reachableAddress(window.location, new URL("/api/v1/ingest/webhook", data).href);
}
