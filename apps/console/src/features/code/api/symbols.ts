import { referencesAnswerSchema } from "@sightline/code-index/contract";
import { infiniteQueryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

const PAGE_SIZE = 50;

/** Where a name is defined and where it is used, in one repository or in all. */
export function referencesQuery(
  api: Api,
  { symbol, repo, ref }: { readonly symbol: string; readonly repo?: string | undefined; readonly ref?: string | undefined },
) {
  return infiniteQueryOptions({
    queryKey: ["references", symbol, repo, ref],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "code-index",
        path: "/api/v1/references",
        query: { symbol, repo, ref, cursor: pageParam, limit: PAGE_SIZE },
        answer: referencesAnswerSchema,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: 60_000,
  });
}
