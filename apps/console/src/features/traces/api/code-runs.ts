import { codeRunsSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

export type FileLines = {
  readonly repo: string;
  readonly path: string;
  /** Lines that are asked for; all of them when left out. */
  readonly lines: { readonly start: number; readonly end: number } | undefined;
};

/** What ran of a file in the last thirty days, in all projects that the person may see. */
export function codeRunsQuery(api: Api, { repo, path, lines }: FileLines) {
  return queryOptions({
    queryKey: ["code runs", repo, path, lines?.start, lines?.end],
    queryFn: ({ signal }) =>
      api.request({
        part: "observability",
        path: "/api/v1/code-runs",
        query: { repo, path, from: lines?.start, to: lines?.end },
        answer: codeRunsSchema,
        signal,
      }),
  });
}
