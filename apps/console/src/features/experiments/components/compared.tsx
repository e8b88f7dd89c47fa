import { Anchor, Paper, Text } from "@mantine/core";
import type { Experiment, ExperimentComparison } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { formatCost } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { BaselineChoice } from "./baseline-choice.tsx";
import { Commit, DatasetVersion } from "./experiment-list.tsx";
import { ExperimentState, RunCounts } from "./run-counts.tsx";
import classes from "./experiments.module.css";

type ComparedProps = {
  readonly projectId: string;
  readonly comparison: ExperimentComparison;
  readonly baseline: string | undefined;
  readonly onChoose: (baseline: string) => void;
};

/** What is compared with what. */
export function Compared({ projectId, comparison, baseline, onChoose }: ComparedProps) {
  const { candidate, baseline: before } = comparison;
  return (
    <Paper p="lg" component="section" aria-label="What is compared" className={classes.sides ?? ""}>
      <div>
        <Text size="sm" fw={500} mb={4}>
          Candidate
        </Text>
        <Text fw={550}>
          <SafeText text={candidate.name} />
        </Text>
        <Facts projectId={projectId} experiment={candidate} />
      </div>
      <div>
        <BaselineChoice projectId={projectId} comparison={comparison} baseline={baseline} onChoose={onChoose} />
        {before.length === 0 && (
          <Text size="sm" c="dimmed" mt={6}>
            {baseline === undefined ? "No baseline is chosen." : "No finished experiment of this dataset is on it."}
          </Text>
        )}
        {comparison.notes.map((note) => (
          <Text key={note} size="sm" c="var(--sl-warn)" mt={6}>
            {note}
          </Text>
        ))}
        {before.map((experiment) => (
          <div key={experiment.id} className={classes.baseline}>
            <Anchor
              component={Link}
              fw={550}
              to="/projects/$projectId/experiments/$experimentId"
              params={{ projectId, experimentId: experiment.id }}
            >
              <SafeText text={experiment.name} />
            </Anchor>
            <Facts projectId={projectId} experiment={experiment} />
          </div>
        ))}
      </div>
    </Paper>
  );
}

function Facts({ projectId, experiment }: { readonly projectId: string; readonly experiment: Experiment }) {
  return (
    <div className={classes.facts}>
      {experiment.branch !== null && (
        <span>
          <SafeText text={experiment.branch} />
        </span>
      )}
      {experiment.commit !== null && <Commit experiment={experiment} />}
      <DatasetVersion projectId={projectId} experiment={experiment} />
      <ExperimentState state={experiment.state} />
      <span>
        Runs: <RunCounts experiment={experiment} />
      </span>
      {experiment.cost !== null && <span>{formatCost(experiment.cost)}</span>}
      <TimeStamp at={experiment.created_at} />
    </div>
  );
}
