import { toPageSchema, repositorySchema, searchAnswerSchema } from "@sightline/code-index/contract";
import { projectPageSchema, tracePageSchema } from "@sightline/observability/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { codeIndex, encoded, observability } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";
import type { Call } from "#http/send.ts";

const MAX_FOUND = 5;
/** The palette offers what is there by name; of more, the pages themselves have searches. */
const NAMED = 200;

export const repositoriesQuery = palette(
  ["repositories"],
  codeIndex.get("/api/v1/repos", { query: { limit: NAMED }, answer: toPageSchema(repositorySchema) }),
);

export const projectsQuery = palette(
  ["projects"],
  observability.get("/api/v1/projects", { query: { limit: NAMED }, answer: projectPageSchema }),
);

export function codeQuery(typed: string) {
  const query = { query: typed, limit: MAX_FOUND };
  return {
    ...palette(["code", typed], codeIndex.get("/api/v1/search", { query, answer: searchAnswerSchema })),
    enabled: typed.length > 1,
    placeholderData: keepPreviousData,
  };
}

/** Traces of a project that have the words. */
export function tracesQuery(projectId: string | undefined, typed: string) {
  const path = encoded`/api/v1/projects/${projectId ?? ""}/traces`;
  return {
    ...palette(
      ["traces", projectId, typed],
      observability.get(path, { query: { search: typed, limit: MAX_FOUND }, answer: tracePageSchema }),
    ),
    enabled: projectId !== undefined && typed.length > 1,
    placeholderData: keepPreviousData,
  };
}

function palette<Answer>(key: readonly unknown[], call: Call<Answer>) {
  return queryOptions({ queryKey: ["palette", ...key], queryFn: answerTo(call), staleTime: 30_000, retry: false });
}
