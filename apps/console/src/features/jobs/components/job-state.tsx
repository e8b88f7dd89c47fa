import type { Job } from "@sightline/code-index/contract";
import { JobProgress } from "#ui/job-progress.tsx";
import { Status } from "#ui/status.tsx";
import { STATUSES } from "#features/jobs/job-labels.ts";

/** A job's status; while it runs, how far it is. */
export function JobState({ job }: { readonly job: Job }) {
  const { label, tone } = STATUSES[job.status];
  return job.status === "running" ? <JobProgress job={job} /> : <Status tone={tone}>{label}</Status>;
}
