import { Group, Progress, Text } from "@mantine/core";
import type { Job } from "@sightline/code-index/contract";
import { formatCount } from "#ui/format.ts";
import { Status } from "#ui/status.tsx";
import { STATUSES, phaseLabel } from "#features/jobs/job-labels.ts";
import classes from "./job-table.module.css";

/** A job's status; while it runs, how far it is. */
export function JobState({ job }: { readonly job: Job }) {
  const { label, tone } = STATUSES[job.status];
  if (job.status !== "running") {
    return <Status tone={tone}>{label}</Status>;
  }
  const { phase, done, total, rate } = job.progress;
  return (
    <div className={classes.progress}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Status tone="busy">{phaseLabel(phase)}</Status>
        {total > 0 && (
          <Text size="xs" c="dimmed">
            {formatCount(done)} / {formatCount(total)}
          </Text>
        )}
      </Group>
      <Progress
        size="xs"
        mt={6}
        value={total > 0 ? (100 * done) / total : 100}
        animated={total === 0}
        aria-label={`Progress of ${job.full_name}`}
      />
      {rate !== null && (
        <Text size="xs" c="dimmed" mt={4}>
          {formatCount(Math.round(rate))} a second
        </Text>
      )}
    </div>
  );
}
