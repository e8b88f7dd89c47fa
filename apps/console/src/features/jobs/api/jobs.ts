import { type Job, jobSchema, type jobStatusSchema, pageOf, startedJobSchema } from "@sightline/code-index/contract";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { z } from "zod";
import type { Api } from "#http/api.ts";

export type JobStatus = z.infer<typeof jobStatusSchema>;
export type JobFilter = { readonly status: JobStatus | undefined; readonly repositoryId: string | undefined };

/** The beginning of the key of every list of jobs. */
export const JOBS_KEY = ["index jobs"] as const;

const PAGE_SIZE = 50;
const BUSY_MS = 1_500;
const QUIET_MS = 10_000;

/** Jobs, newest first; asked for often while one of them has not ended. */
export function jobListQuery(api: Api, { status, repositoryId }: JobFilter) {
  return infiniteQueryOptions({
    queryKey: [...JOBS_KEY, status, repositoryId],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "code-index",
        path: "/api/v1/jobs",
        query: { status, repo_id: repositoryId, cursor: pageParam, limit: PAGE_SIZE },
        answer: pageOf(jobSchema),
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isUnderWay)) === true ? BUSY_MS : QUIET_MS),
  });
}

export function isUnderWay({ status }: Job): boolean {
  return status === "queued" || status === "running";
}

export function cancelJob(api: Api, jobId: string): Promise<Job> {
  return api.request({ part: "code-index", method: "POST", path: `${pathOf(jobId)}/cancel`, answer: jobSchema });
}

/** Asks for the same once more. */
export function retryJob(api: Api, jobId: string) {
  return api.request({ part: "code-index", method: "POST", path: `${pathOf(jobId)}/retry`, answer: startedJobSchema });
}

function pathOf(jobId: string): string {
  return `/api/v1/jobs/${encodeURIComponent(jobId)}`;
}
