import { Group, Progress } from "@mantine/core";
import type { Job } from "@sightline/code-index/contract";
import { Dimmed } from "./dimmed.tsx";
import { formatCount } from "./format.ts";
import { phaseLabel } from "./job-phase.ts";
import classes from "./job-progress.module.css";
import { Status } from "./status.tsx";

/** How far a running job is. */
export function JobProgress({ job }: { readonly job: Job }) {
  const { phase, done, total, rate } = job.progress;
  return (
    <div className={classes.progress}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Status tone="busy">{phase === "" ? "Running" : phaseLabel(phase)}</Status>
        {total > 0 && (
          <Dimmed size="xs" className={classes.count ?? ""}>
            {formatCount(done)} / {formatCount(total)}
          </Dimmed>
        )}
      </Group>
      <Progress
        size="xs"
        mt={6}
        value={total > 0 ? (100 * done) / total : 100}
        animated={total === 0}
        aria-label={`Progress of ${job.full_name}`}
      />
      {rate !== null && rate > 0 && (
        <Dimmed size="xs" mt={4}>
          {formatCount(Math.round(rate))} a second
        </Dimmed>
      )}
    </div>
  );
}
