import {
  type ChangeRepositoryRequest,
  type Job,
  type RegisterRepositoryRequest,
  type Repository,
  coverageSchema,
  jobSchema,
  toPageSchema,
  previewAnswerSchema,
  repositorySchema,
  startedJobSchema,
} from "@sightline/code-index/contract";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { codeIndex, encoded } from "#http/calls.ts";
import { readAllPages, answerTo, askForAll } from "#http/queries.ts";

const REPOSITORIES = "/api/v1/repos";
const ACTIVE_JOBS_KEY = ["active jobs"];
const BUSY_MS = 1_500;
const WATCH_MS = 5_000;
const QUIET_MS = 15_000;
const pathOf = (repositoryId: string) => REPOSITORIES + encoded`/${repositoryId}`;

const allRepositories = readAllPages(codeIndex.get(REPOSITORIES, { answer: toPageSchema(repositorySchema) }));

/** All repositories; asked for often while one is being indexed. */
export const repositoriesQuery = queryOptions({
  queryKey: ["repositories"],
  queryFn: allRepositories,
  refetchInterval: ({ state }) => pauseFor(state.data ?? []),
});

/** The jobs that have not ended, with their progress. */
export const activeJobsQuery = queryOptions({
  queryKey: ACTIVE_JOBS_KEY,
  queryFn: async (context) => {
    const jobs = (status: "queued" | "running") =>
      askForAll(context, codeIndex.get("/api/v1/jobs", { query: { status }, answer: toPageSchema(jobSchema) }));
    // Queued jobs are read first: one that starts in between is in both lists rather than in neither.
    const queued = await jobs("queued");
    const active = [...(await jobs("running")), ...queued];
    const before = context.client.getQueryData<readonly Job[]>(ACTIVE_JOBS_KEY) ?? [];
    if (before.some(({ job_id: id }) => active.every(({ job_id: other }) => other !== id))) {
      // What came of a job is known before the job is gone from the page.
      await context.client.invalidateQueries({ queryKey: repositoriesQuery.queryKey });
    }
    return active;
  },
  refetchInterval: ({ state }) => (state.data?.length === 0 ? WATCH_MS : BUSY_MS),
});

/** What a new job makes out of date. */
export const INDEXING_KEYS = [repositoriesQuery.queryKey, activeJobsQuery.queryKey];

/** The job that brings the repository's index up to date just now, or waits to; and whether nobody asked for an index yet. */
export function useIndexJob({ id, index_status: status }: Repository) {
  const { data: jobs } = useQuery(activeJobsQuery);
  const job = jobs?.find(({ repo_id: of }) => of === id);
  // Until the jobs are known, one may wait for it.
  return { job, neverAskedFor: status === "pending" && jobs !== undefined && job === undefined };
}

export const registerRepository = (body: RegisterRepositoryRequest) => codeIndex.post(REPOSITORIES, { body, answer: repositorySchema });

/** Settings that are left out stay as they are. */
export const changeRepository = (repositoryId: string, body: ChangeRepositoryRequest) =>
  codeIndex.patch(pathOf(repositoryId), { body, answer: repositorySchema });

/** It is gone from every search at once; what is stored of it goes in the background. */
export const deleteRepository = (repositoryId: string) => codeIndex.delete(pathOf(repositoryId));

/** Names no branch, so that the default one is indexed. */
export const startIndexing = (repositoryId: string, mode: "full" | "incremental") =>
  codeIndex.post(`${pathOf(repositoryId)}/index`, { body: { mode }, answer: startedJobSchema });

/** What an index of it would hold; asked for until the indexer has counted it. */
export function previewQuery({ id, include, exclude }: Pick<Repository, "id" | "include" | "exclude">) {
  const look = answerTo(codeIndex.get(`${pathOf(id)}/preview`, { answer: previewAnswerSchema }));
  return queryOptions({
    queryKey: ["preview", id, include, exclude],
    queryFn: look,
    refetchInterval: ({ state }) => (state.data === undefined || state.data.status === "pending" ? BUSY_MS : false),
    placeholderData: keepPreviousData,
  });
}

/** Whether a path is searchable, and if not why. */
export function coverageQuery(repositoryId: string, path: string) {
  return queryOptions({
    queryKey: ["coverage", repositoryId, path],
    queryFn: answerTo(codeIndex.get(`${pathOf(repositoryId)}/coverage`, { query: { path }, answer: coverageSchema })),
  });
}

function pauseFor(repositories: readonly Repository[]): number {
  const has = (status: Repository["index_status"]) => repositories.some(({ index_status: found }) => found === status);
  return has("indexing") ? BUSY_MS : has("pending") ? WATCH_MS : QUIET_MS;
}
