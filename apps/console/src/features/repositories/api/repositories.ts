import {
  type RegisterRepositoryRequest,
  type Repository,
  jobSchema,
  pageOf,
  repositorySchema,
  startedJobSchema,
} from "@sightline/code-index/contract";
import { queryOptions } from "@tanstack/react-query";
import { PAGE_SIZE, allPages } from "#http/all-pages.ts";
import type { Api } from "#http/api.ts";

const BUSY_MS = 1_500;
const QUIET_MS = 15_000;

/** All repositories; asked for often while one is being indexed. */
export function repositoriesQuery(api: Api) {
  return queryOptions({
    queryKey: ["repositories"],
    queryFn: ({ signal }) =>
      allPages((cursor) =>
        api.request({
          part: "code-index",
          path: "/api/v1/repos",
          query: { cursor, limit: PAGE_SIZE },
          answer: pageOf(repositorySchema),
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.some(isBusy) === true ? BUSY_MS : QUIET_MS),
  });
}

/** The newest jobs, for their progress. */
export function jobsQuery(api: Api, watch: boolean) {
  return queryOptions({
    queryKey: ["jobs"],
    queryFn: ({ signal }) => api.request({ part: "code-index", path: "/api/v1/jobs", answer: pageOf(jobSchema), signal }),
    refetchInterval: watch ? BUSY_MS : false,
  });
}

export function registerRepository(api: Api, body: RegisterRepositoryRequest): Promise<Repository> {
  return api.request({ part: "code-index", method: "POST", path: "/api/v1/repos", body, answer: repositorySchema });
}

export function startIndexing(api: Api, repositoryId: string, mode: "full" | "incremental") {
  return api.request({
    part: "code-index",
    method: "POST",
    path: `/api/v1/repos/${encodeURIComponent(repositoryId)}/index`,
    body: { mode },
    answer: startedJobSchema,
  });
}

export function isBusy(repository: Repository): boolean {
  return repository.index_status === "pending" || repository.index_status === "indexing";
}
