import { Dimmed } from "#ui/words/dimmed.tsx";
import { useChange } from "#http/use-change.ts";
import classes from "./job-list.module.css";
import { Anchor, Button } from "@mantine/core";
import type { Job } from "@sightline/code-index/contract";
import { IconStack2 } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { codeLink } from "#ui/page/code-link.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { EmptyPanel, ListOf, NoMatch } from "#ui/kit/list-states.tsx";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { FailureReason } from "#ui/words/failure-reason.tsx";
import { formatDuration } from "#ui/words/format.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { JOBS_KEY, type JobFilter, cancelJob, isUnderWay, jobListQuery, retryJob } from "#features/jobs/api/jobs.ts";
import { TRIGGERS, runTime, STATUSES } from "#features/jobs/job-labels.ts";
import { JobProgress } from "#ui/words/job-progress.tsx";
import { NoValue, Status } from "#ui/words/status.tsx";

export function JobList({ filter, onUnfiltered }: { readonly filter: JobFilter; readonly onUnfiltered: () => void }) {
  const list = useInfiniteQuery(jobListQuery(filter));
  const isFiltered = filter.status !== undefined || filter.repositoryId !== undefined;
  return (
    <ListOf
      list={list}
      items={list.data?.pages.flatMap(({ items }) => items)}
      failed="The jobs could not be loaded"
      empty={
        isFiltered ? (
          <NoMatch title="No job matches" description="Try any status and any repository." all="Show all jobs" onAll={onUnfiltered} />
        ) : (
          <EmptyPanel
            icon={<IconStack2 />}
            title="No job yet"
            description="Each registration, push or change of settings queues a job that brings the index to the newest commit."
          >
            <Button component={Link} to="/code/repos" variant="default">
              All repositories
            </Button>
          </EmptyPanel>
        )
      }
    >
      {(jobs) => <JobTable jobs={jobs} now={list.dataUpdatedAt} />}
    </ListOf>
  );
}

/** `now` is when the jobs were asked for. */
function JobTable({ jobs, now }: { readonly jobs: readonly Job[]; readonly now: number }) {
  return (
    <DataTable
      label="Jobs"
      minWidth={680}
      rows={jobs}
      rowKey={({ job_id: id }) => id}
      columns={[
        { header: "Repository", render: (job) => <Repository job={job} /> },
        { header: "Status", width: 220, render: (job) => <JobState job={job} /> },
        {
          header: "Commit",
          className: classes.wide,
          render: ({ commit }) => (commit === null ? <NoValue /> : <CopyableId value={commit} label="commit" />),
        },
        {
          header: "Requested",
          render: (job) => (
            <>
              <TimeStamp at={job.created_at} />
              <Dimmed size="xs">{TRIGGERS[job.trigger]}</Dimmed>
            </>
          ),
        },
        {
          header: "Ran",
          td: { className: classes.ran ?? "" },
          render: (job) => {
            const ran = runTime(job, now);
            return ran === undefined ? <NoValue /> : formatDuration(ran);
          },
        },
        { header: "Actions", isHidden: true, width: 110, render: (job) => <JobAction job={job} /> },
      ]}
    />
  );
}

function Repository({ job }: { readonly job: Job }) {
  return (
    <>
      <Anchor component={Link} {...codeLink(job.full_name)} fw={550}>
        {job.full_name}
      </Anchor>
      <Dimmed size="xs">
        {job.ref ?? "default branch"}, {job.mode}
        {job.attempt > 1 && `, attempt ${job.attempt}`}
      </Dimmed>
      {job.error_message !== null && <FailureReason message={job.error_message} />}
    </>
  );
}

function JobAction({ job }: { readonly job: Job }) {
  const underWay = isUnderWay(job);
  const act = useChange<unknown>({
    send: () => (underWay ? cancelJob(job.job_id) : retryJob(job.job_id)),
    refreshes: [JOBS_KEY],
    failed: underWay ? "The job was not cancelled" : "No new job was queued",
  });
  return (
    <Button
      size="xs"
      variant="default"
      loading={act.isPending}
      aria-label={`${underWay ? "Cancel" : "Run again"}: ${job.full_name}`}
      onClick={() => act.mutate()}
    >
      {underWay ? "Cancel" : "Run again"}
    </Button>
  );
}

/** A job's status; while it runs, how far it is. */
function JobState({ job }: { readonly job: Job }) {
  const { label, tone } = STATUSES[job.status];
  return job.status === "running" ? <JobProgress job={job} /> : <Status tone={tone}>{label}</Status>;
}
