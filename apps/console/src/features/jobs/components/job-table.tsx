import classes from "./job-table.module.css";
import { Anchor, Button, Table, Text, VisuallyHidden } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Job } from "@sightline/code-index/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "#http/api-context.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { FailureReason } from "#ui/words/failure-reason.tsx";
import { formatDuration } from "#ui/words/format.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { JOBS_KEY, cancelJob, isUnderWay, retryJob } from "#features/jobs/api/jobs.ts";
import { TRIGGERS, runTime, STATUSES } from "#features/jobs/job-labels.ts";
import { JobProgress } from "#ui/words/job-progress.tsx";
import { Status } from "#ui/kit/status.tsx";

/** `now` is when the jobs were asked for. */
export function JobTable({ jobs, now }: { readonly jobs: readonly Job[]; readonly now: number }) {
  return (
    <Table.ScrollContainer minWidth={680} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Jobs" } }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Repository</Table.Th>
            <Table.Th w={220}>Status</Table.Th>
            <Table.Th className={classes.wide}>Commit</Table.Th>
            <Table.Th>Asked for</Table.Th>
            <Table.Th>Ran</Table.Th>
            <Table.Th w={110}>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {jobs.map((job) => (
            <JobRow key={job.job_id} job={job} now={now} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function JobRow({ job, now }: { readonly job: Job; readonly now: number }) {
  const [owner = "", repo = ""] = job.full_name.split("/");
  const ran = runTime(job, now);
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor component={Link} to="/code/$owner/$repo" params={{ owner, repo }} fw={550}>
          {job.full_name}
        </Anchor>
        <Text size="xs" c="dimmed">
          {job.ref ?? "default branch"}, {job.mode}
          {job.attempt > 1 && `, attempt ${job.attempt}`}
        </Text>
        {job.error_message !== null && <FailureReason message={job.error_message} />}
      </Table.Td>
      <Table.Td>
        <JobState job={job} />
      </Table.Td>
      <Table.Td className={classes.wide}>
        {job.commit === null ? (
          <Text inherit c="dimmed">
            –
          </Text>
        ) : (
          <CopyableId value={job.commit} label="commit" />
        )}
      </Table.Td>
      <Table.Td>
        <TimeStamp at={job.created_at} />
        <Text size="xs" c="dimmed">
          {TRIGGERS[job.trigger]}
        </Text>
      </Table.Td>
      <Table.Td className={classes.ran}>
        {ran === undefined ? (
          <Text inherit c="dimmed">
            –
          </Text>
        ) : (
          formatDuration(ran)
        )}
      </Table.Td>
      <Table.Td>
        <JobAction job={job} />
      </Table.Td>
    </Table.Tr>
  );
}

function JobAction({ job }: { readonly job: Job }) {
  const api = useApi();
  const queries = useQueryClient();
  const underWay = isUnderWay(job);
  const act = useMutation({
    mutationFn: async (): Promise<unknown> => (underWay ? cancelJob(api, job.job_id) : retryJob(api, job.job_id)),
    onSuccess: () => queries.invalidateQueries({ queryKey: JOBS_KEY }),
    onError: (error) =>
      notifications.show({ color: "red", title: underWay ? "The job goes on" : "No new job was queued", message: error.message }),
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
