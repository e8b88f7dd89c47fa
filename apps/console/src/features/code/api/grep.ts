import { grepAnswerSchema } from "@sightline/code-index/contract";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";
import { type SearchState, isOn } from "#features/code/query/search-state.ts";

const PAGE_SIZE = 100;
const CONTEXT_LINES = 1;

/** Every line that matches, by repository, path and line, page by page. */
export function grepQuery(api: Api, { q: pattern = "", repo, path, lang, ref, ...how }: SearchState) {
  const query = {
    pattern,
    repo,
    path,
    lang,
    ref,
    regex: isOn(how.regex) ? "true" : undefined,
    case: isOn(how.case) ? "sensitive" : "insensitive",
    context: CONTEXT_LINES,
  };
  return infiniteQueryOptions({
    queryKey: ["grep", query],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "code-index",
        path: "/api/v1/grep",
        query: { ...query, cursor: pageParam, limit: PAGE_SIZE },
        answer: grepAnswerSchema,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}
