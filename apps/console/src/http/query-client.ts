import { QueryClient } from "@tanstack/react-query";
import type { Api } from "./api.ts";
import { isTransient } from "./api-error.ts";

const RETRIES = 2;

export function createQueryClient(api: Pick<Api, "request">): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        meta: { api },
        staleTime: 5_000,
        retry: (failures, error) => failures < RETRIES && isTransient(error),
      },
      // What is sent while offline fails at once and can be sent again; later on its own it would surprise.
      mutations: { networkMode: "always" },
    },
  });
}
