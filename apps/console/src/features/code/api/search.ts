import { searchAnswerSchema } from "@sightline/code-index/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

const MOST_RESULTS = 30;

export type Search = { readonly query: string; readonly repo: string | undefined; readonly lang: string | undefined };

export function searchQuery(api: Api, { query, repo, lang }: Search) {
  return queryOptions({
    queryKey: ["search", query, repo, lang],
    queryFn: ({ signal }) =>
      api.request({
        part: "code-index",
        path: "/api/v1/search",
        query: { query, repo, lang, limit: MOST_RESULTS },
        answer: searchAnswerSchema,
        signal,
      }),
    enabled: query !== "",
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}
