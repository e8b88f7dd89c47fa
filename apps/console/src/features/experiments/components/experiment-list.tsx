import { Anchor, Group, Text } from "@mantine/core";
import type { Experiment } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { experimentsQuery } from "#features/experiments/api/experiments.ts";
import { formatValue } from "#features/experiments/verdict-words.ts";
import { suggestBaseline } from "#features/experiments/suggest-baseline.ts";
import { Uncalibrated } from "#features/judges/components/uncalibrated.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ListOf } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import { NoValue } from "#ui/words/status.tsx";
import classes from "./experiments.module.css";
import { ExperimentState, RunCounts } from "./run-counts.tsx";

type ExperimentListProps = {
  readonly projectId: string;
  /** Of one dataset; without it of all. */
  readonly datasetId?: string;
  readonly branch?: string | undefined;
  readonly empty: ReactNode;
};

const MEANS_SHOWN = 5;

/** Experiments, newest first. */
export function ExperimentList({ projectId, datasetId, branch, empty }: ExperimentListProps) {
  const asked = { ...(datasetId === undefined ? {} : { dataset_id: datasetId }), ...(branch === undefined ? {} : { branch }) };
  const list = useInfiniteQuery(experimentsQuery(projectId, asked));
  return (
    <ListOf list={list} items={list.data?.pages.flatMap(({ items }) => items)} failed="The experiments could not be loaded" empty={empty}>
      {(experiments) => (
        <DataTable
          label="Experiments"
          minWidth={900}
          highlightOnHover
          rows={experiments}
          rowKey={({ id }) => id}
          columns={[
            {
              header: "Experiment",
              render: (experiment) => (
                <Anchor component={Link} {...pageOf(projectId, experiment, experiments)} fw={550}>
                  <SafeText text={experiment.name} />
                </Anchor>
              ),
            },
            { header: "Dataset", render: (experiment) => <DatasetVersion projectId={projectId} experiment={experiment} /> },
            {
              header: "Branch",
              render: ({ branch: name }) =>
                name === null ? (
                  <NoValue />
                ) : (
                  <Anchor
                    component={Link}
                    inherit
                    c="inherit"
                    to="/projects/$projectId/experiments"
                    params={{ projectId }}
                    search={{ branch: name }}
                  >
                    <SafeText text={name} />
                  </Anchor>
                ),
            },
            { header: "Commit", className: classes.figure, render: (experiment) => <Commit experiment={experiment} /> },
            { header: "State", render: ({ state }) => <ExperimentState state={state} /> },
            {
              header: "Scores",
              className: classes.figure,
              render: ({ means }) =>
                means.length === 0 ? (
                  <NoValue />
                ) : (
                  <Group gap="4px 10px">
                    {means.slice(0, MEANS_SHOWN).map((mean) => (
                      <span key={`${mean.source} ${mean.name}`}>
                        <Text inherit span c="dimmed">
                          <SafeText text={mean.name} />
                        </Text>
                        <Uncalibrated projectId={projectId} score={mean} /> {formatValue(mean, mean.mean)}
                      </span>
                    ))}
                    {means.length > MEANS_SHOWN && <Text inherit span c="dimmed">{`+${means.length - MEANS_SHOWN}`}</Text>}
                  </Group>
                ),
            },
            { header: "Runs", className: classes.figure, render: (experiment) => <RunCounts experiment={experiment} /> },
            { header: "Started", render: ({ created_at: at }) => <TimeStamp at={at} /> },
          ]}
        />
      )}
    </ListOf>
  );
}

/** Its page, beside what it is most likely to be compared with. */
export function pageOf(projectId: string, experiment: Experiment, all: readonly Experiment[]) {
  return {
    to: "/projects/$projectId/experiments/$experimentId",
    params: { projectId, experimentId: experiment.id },
    search: { baseline: suggestBaseline(experiment, all) },
  } as const;
}

/** The items that it ran over. */
export function DatasetVersion({ projectId, experiment }: { readonly projectId: string; readonly experiment: Experiment }) {
  const { dataset, dataset_id: datasetId, dataset_version: version, split } = experiment;
  return (
    <Anchor
      component={Link}
      inherit
      to="/projects/$projectId/datasets/$datasetId"
      params={{ projectId, datasetId }}
      search={{ version: String(version), split: split ?? undefined }}
    >
      <SafeText text={dataset} />@{version}
      {split !== null && ` (${split})`}
    </Anchor>
  );
}

export function Commit({ experiment: { commit, is_dirty: isDirty } }: { readonly experiment: Experiment }) {
  return commit === null ? (
    <NoValue />
  ) : (
    <span title={isDirty ? `${commit}, with changes that were not committed` : commit}>
      {commit.slice(0, 7)}
      {isDirty && " + changes"}
    </span>
  );
}
