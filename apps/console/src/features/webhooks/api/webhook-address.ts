import { useQuery } from "@tanstack/react-query";
import { z } from "zod";
import { useApi } from "#http/api-context.ts";

/** Where hosts send their deliveries, by the code index's own address; on this host until that is known. */
export function useWebhookAddress(): string {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ["webhook address"],
    queryFn: async ({ signal }) => {
      const answer = z.object({ resource: z.url() });
      const { resource } = await api.request({ part: "code-index", path: "/.well-known/oauth-protected-resource", answer, signal });
      return new URL("/api/v1/ingest/webhook", resource).href;
    },
    staleTime: Infinity,
  });
  return data ?? `${window.location.protocol}//${window.location.hostname}:8080/api/v1/ingest/webhook`;
}
