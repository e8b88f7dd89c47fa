import type { Job, Repository } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { activeJobsQuery } from "./repositories.ts";

export type IndexJob = {
  /** The job that brings the repository's index up to date just now, or waits to. */
  readonly job: Job | undefined;
  /** Registered to look at the preview, and nobody asked for an index yet. */
  readonly neverAskedFor: boolean;
};

export function useIndexJob({ id, index_status: status }: Repository): IndexJob {
  const { data: jobs } = useQuery(activeJobsQuery(useApi()));
  const job = jobs?.find(({ repo_id: of }) => of === id);
  // Until the jobs are known, one may wait for it.
  return { job, neverAskedFor: status === "pending" && jobs !== undefined && job === undefined };
}
