import { codeRunsSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { observability } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

export type FileLines = {
  readonly repo: string;
  readonly path: string;
  /** Lines that are asked for; all of them when left out. */
  readonly lines: { readonly start: number; readonly end: number } | undefined;
};

/** What ran of a file in the last thirty days, in all projects that the person may see. */
export function codeRunsQuery({ repo, path, lines }: FileLines) {
  const query = { repo, path, from: lines?.start, to: lines?.end };
  return queryOptions({
    queryKey: ["code runs", repo, path, query.from, query.to],
    queryFn: answerTo(observability.get("/api/v1/code-runs", { query, answer: codeRunsSchema })),
  });
}
