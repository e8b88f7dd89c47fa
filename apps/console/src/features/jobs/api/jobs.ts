import { type Job, jobSchema, toPageSchema, startedJobSchema } from "@sightline/code-index/contract";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { codeIndex, encoded } from "#http/calls.ts";
import { pageByPage } from "#http/queries.ts";

export type JobFilter = { readonly status: Job["status"] | undefined; readonly repositoryId: string | undefined };

/** The beginning of the key of every list of jobs. */
export const JOBS_KEY = ["index jobs"] as const;

const PAGE_SIZE = 50;
const BUSY_MS = 1_500;
const QUIET_MS = 10_000;

/** Jobs, newest first; asked for often while one of them has not ended. */
export function jobListQuery({ status, repositoryId }: JobFilter) {
  const query = { status, repo_id: repositoryId, limit: PAGE_SIZE };
  return infiniteQueryOptions({
    ...pageByPage([...JOBS_KEY, status, repositoryId], codeIndex.get("/api/v1/jobs", { query, answer: toPageSchema(jobSchema) })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isUnderWay)) === true ? BUSY_MS : QUIET_MS),
  });
}

export function isUnderWay({ status }: Job): boolean {
  return status === "queued" || status === "running";
}

export const cancelJob = (jobId: string) => codeIndex.post(encoded`/api/v1/jobs/${jobId}/cancel`, { answer: jobSchema });

/** Asks for the same once more. */
export const retryJob = (jobId: string) => codeIndex.post(encoded`/api/v1/jobs/${jobId}/retry`, { answer: startedJobSchema });
