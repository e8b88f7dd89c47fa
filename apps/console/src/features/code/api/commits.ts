import { commitsAnswerSchema } from "@sightline/code-index/contract";
import { infiniteQueryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";
import type { Branch } from "./files.ts";

const PAGE_SIZE = 30;

/** The commits that changed a file, newest first. */
export function commitsQuery(api: Api, { id, ref }: Branch, path: string) {
  return infiniteQueryOptions({
    queryKey: ["commits", id, ref, path],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "code-index",
        path: `/api/v1/repos/${encodeURIComponent(id)}/commits`,
        query: { path, ref, cursor: pageParam, limit: PAGE_SIZE },
        answer: commitsAnswerSchema,
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: 60_000,
  });
}
