import { searchAnswerSchema } from "@sightline/code-index/contract";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";
import { type SearchState, isOn } from "#features/code/query/search-state.ts";

const PAGE_SIZE = 20;

/** Results best first, page by page. */
export function searchQuery(api: Api, { q = "", repo, path, lang, ref, explain }: Partial<SearchState>) {
  const query = { query: q.trim(), repo, path, lang, ref, explain: isOn(explain) ? "true" : undefined };
  return infiniteQueryOptions({
    queryKey: ["search", query],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "code-index",
        path: "/api/v1/search",
        query: { ...query, cursor: pageParam, limit: PAGE_SIZE },
        answer: searchAnswerSchema,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}
