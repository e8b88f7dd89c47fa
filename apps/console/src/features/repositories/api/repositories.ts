import {
  type ChangeRepositoryRequest,
  type Job,
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

const ACTIVE_JOBS_KEY = ["active jobs"];
const BUSY_MS = 1_500;
const WATCH_MS = 5_000;
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
    refetchInterval: ({ state }) => pauseFor(state.data ?? []),
  });
}

/** The jobs that have not ended, with their progress. */
export function activeJobsQuery(api: Api) {
  return queryOptions({
    queryKey: ACTIVE_JOBS_KEY,
    queryFn: async ({ client, signal }) => {
      const jobs = (status: "queued" | "running") =>
        allPages((cursor) =>
          api.request({
            part: "code-index",
            path: "/api/v1/jobs",
            query: { status, cursor, limit: PAGE_SIZE },
            answer: pageOf(jobSchema),
            signal,
          }),
        );
      // In this order: one that starts in between is in both rather than in neither.
      const queued = await jobs("queued");
      const active = [...(await jobs("running")), ...queued];
      const before = client.getQueryData<readonly Job[]>(ACTIVE_JOBS_KEY) ?? [];
      if (before.some(({ job_id: id }) => active.every(({ job_id: other }) => other !== id))) {
        // What came of a job is known before the job is gone from the page.
        await client.invalidateQueries({ queryKey: repositoriesQuery(api).queryKey });
      }
      return active;
    },
    refetchInterval: ({ state }) => (state.data?.length === 0 ? WATCH_MS : BUSY_MS),
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

function pauseFor(repositories: readonly Repository[]): number {
  const has = (status: Repository["index_status"]) => repositories.some(({ index_status: found }) => found === status);
  return has("indexing") ? BUSY_MS : has("pending") ? WATCH_MS : QUIET_MS;
}
