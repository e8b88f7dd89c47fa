import {
  type ChangeRepositoryRequest,
  type RegisterRepositoryRequest,
  type Repository,
  coverageSchema,
  jobSchema,
  pageOf,
  previewAnswerSchema,
  repositorySchema,
  startedJobSchema,
} from "@sightline/code-index/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { z } from "zod";
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

/** Settings that are left out stay as they are. */
export function changeRepository(api: Api, repositoryId: string, body: ChangeRepositoryRequest): Promise<Repository> {
  return api.request({ part: "code-index", method: "PATCH", path: pathOf(repositoryId), body, answer: repositorySchema });
}

/** It is gone from every search at once; what is stored of it goes in the background. */
export async function deleteRepository(api: Api, repositoryId: string): Promise<void> {
  await api.request({ part: "code-index", method: "DELETE", path: pathOf(repositoryId), answer: z.unknown() });
}

/** Without a branch, the default one. */
export function startIndexing(api: Api, repositoryId: string, mode: "full" | "incremental") {
  return api.request({
    part: "code-index",
    method: "POST",
    path: `${pathOf(repositoryId)}/index`,
    body: { mode },
    answer: startedJobSchema,
  });
}

/** What an index of it would hold; asked for until the indexer has counted it. */
export function previewQuery(api: Api, repository: Pick<Repository, "id" | "include" | "exclude">) {
  return queryOptions({
    queryKey: ["preview", repository.id, repository.include, repository.exclude],
    queryFn: ({ signal }) =>
      api.request({ part: "code-index", path: `${pathOf(repository.id)}/preview`, answer: previewAnswerSchema, signal }),
    refetchInterval: ({ state }) => (state.data === undefined || state.data.status === "pending" ? BUSY_MS : false),
    placeholderData: keepPreviousData,
  });
}

/** Whether a path is searchable, and if not why. */
export function coverageQuery(api: Api, repositoryId: string, path: string) {
  return queryOptions({
    queryKey: ["coverage", repositoryId, path],
    queryFn: ({ signal }) =>
      api.request({ part: "code-index", path: `${pathOf(repositoryId)}/coverage`, query: { path }, answer: coverageSchema, signal }),
  });
}

function pathOf(repositoryId: string): string {
  return `/api/v1/repos/${encodeURIComponent(repositoryId)}`;
}

export function isBusy(repository: Repository): boolean {
  return repository.index_status === "pending" || repository.index_status === "indexing";
}
