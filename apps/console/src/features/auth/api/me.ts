import { meSchema } from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

export function meQuery(api: Api) {
  return queryOptions({
    queryKey: ["me"],
    queryFn: ({ signal }) => api.request({ part: "identity", path: "/login/me", answer: meSchema, signal }),
    staleTime: 60_000,
  });
}
