import { Anchor, Box, Button, Group, NativeSelect, Skeleton } from "@mantine/core";
import type { Experiment, ScoreMean } from "@sightline/observability/contract";
import { IconDownload } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, Suspense } from "react";
import { experimentsQuery } from "#features/experiments/api/experiments.ts";
import { historyAsCsv, meanInWords, meanOf, scoreKey, scoreLabel, scoresOf } from "#features/experiments/score-history.ts";
import { GATE } from "#features/experiments/verdict-words.ts";
import { Uncalibrated } from "#features/judges/components/uncalibrated.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ListOf } from "#ui/kit/list-states.tsx";
import { saveFile } from "#ui/kit/save-file.ts";
import { lazyPart } from "#ui/page/lazy-part.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { plural } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { NoValue, Status } from "#ui/words/status.tsx";
import { Commit, pageOf } from "./experiment-list.tsx";
import classes from "./experiments.module.css";
import type { HistoryPoint } from "./history-chart.tsx";
import { RunCounts } from "./run-counts.tsx";

const HistoryChart = lazyPart(async () => (await import("./history-chart.tsx")).HistoryChart);

type Chosen = { readonly branch: string | undefined; readonly score: string | undefined };
type ScoreHistoryProps = Chosen & {
  readonly projectId: string;
  readonly datasetId: string;
  readonly onChoose: (chosen: Partial<Chosen>) => void;
  readonly empty: ReactNode;
};

/** The scores of finished experiments in order of time: a chart of one, and a table of them. */
export function ScoreHistory({ projectId, datasetId, branch, score, onChoose, empty }: ScoreHistoryProps) {
  const ofDataset = { dataset_id: datasetId };
  const all = useInfiniteQuery(experimentsQuery(projectId, ofDataset));
  const list = useInfiniteQuery(experimentsQuery(projectId, { ...ofDataset, ...(branch === undefined ? {} : { branch }) }));
  const loaded = list.data?.pages.flatMap(({ items }) => items);
  const finished = loaded?.filter(({ state, means }) => state === "finished" && means.length > 0);
  const branches = new Set([branch, ...(all.data?.pages.flatMap(({ items }) => items.map((each) => each.branch)) ?? [])]);
  return (
    <ListOf list={list} items={finished} failed="The experiments could not be loaded" empty={empty}>
      {(experiments) => {
        const scores = scoresOf(experiments);
        const shown = scores.find((each) => scoreKey(each) === score) ?? scores[0];
        return (
          <>
            <Group align="end" p="md">
              <NativeSelect
                label="Score"
                data={scores.map((each) => ({ value: scoreKey(each), label: scoreLabel(each) }))}
                value={shown === undefined ? "" : scoreKey(shown)}
                onChange={(event) => onChoose({ score: event.currentTarget.value })}
              />
              <NativeSelect
                label="Branch"
                data={[
                  { value: "", label: "All branches" },
                  ...[...branches].filter((name) => typeof name === "string").map((name) => ({ value: name, label: name })),
                ]}
                value={branch ?? ""}
                onChange={({ currentTarget: { value } }) => onChoose({ branch: value === "" ? undefined : value })}
              />
              <Button
                variant="default"
                leftSection={<IconDownload size={16} />}
                onClick={() => saveFile(new Blob([historyAsCsv(experiments)], { type: "text/csv" }), "scores-over-commits.csv")}
              >
                Export as CSV
              </Button>
            </Group>
            {shown !== undefined && <OneScore projectId={projectId} experiments={experiments} score={shown} />}
          </>
        );
      }}
    </ListOf>
  );
}

type OneScoreProps = {
  readonly projectId: string;
  /** Newest first. */
  readonly experiments: readonly Experiment[];
  readonly score: Pick<ScoreMean, "name" | "source">;
};

const TOOK = ["check:checks", "run:cost", "run:duration"];

function OneScore({ projectId, experiments, score }: OneScoreProps) {
  const navigate = useNavigate();
  const points = experiments.flatMap((experiment): readonly HistoryPoint[] => {
    const mean = meanOf(experiment, score);
    return mean === undefined ? [] : [{ experiment, mean }];
  });
  const label = scoreLabel(score);
  const newest = points[0] === undefined ? "" : `; the newest ${meanInWords(points[0].mean)}`;
  const beside = scoresOf(experiments).filter((each) => TOOK.includes(scoreKey(each)) && scoreKey(each) !== scoreKey(score));
  return (
    <>
      <Box component="section" aria-label="Scores over commits" px="md" pb="lg">
        <div
          role="img"
          aria-label={`${label} of ${plural(points.length, "experiment", "experiments")}${newest}`}
          className={classes.history}
        >
          <Suspense fallback={<Skeleton height={260} />}>
            <HistoryChart
              score={score}
              points={points.toReversed()}
              onOpen={(experiment) => void navigate(pageOf(projectId, experiment, experiments))}
            />
          </Suspense>
        </div>
        <Dimmed size="xs" mt="md">
          <SafeText text={label} />
          <Uncalibrated projectId={projectId} score={score} />. Each bar is the 95% interval of one experiment. Two that overlap can still
          differ: a comparison pairs their items. Large dots were judged by a gate: green passed, red did not, yellow could not tell.
        </Dimmed>
      </Box>
      <DataTable
        label="Scores over commits as a table"
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
          { header: "Commit", className: classes.figure, render: (experiment) => <Commit experiment={experiment} /> },
          { header: "Branch", render: ({ branch }) => (branch === null ? <NoValue /> : <SafeText text={branch} />) },
          { header: "Gate", render: (experiment) => <Gate experiment={experiment} /> },
          ...[score, ...beside].map((each) => ({
            header: scoreLabel(each),
            className: classes.figure,
            render: (experiment: Experiment) => {
              const mean = meanOf(experiment, each);
              return mean === undefined ? <NoValue /> : meanInWords(mean);
            },
          })),
          { header: "Runs", className: classes.figure, render: (experiment) => <RunCounts experiment={experiment} /> },
          { header: "Started", render: ({ created_at: at }) => <TimeStamp at={at} /> },
        ]}
      />
    </>
  );
}

function Gate({ experiment: { gate } }: { readonly experiment: Experiment }) {
  return gate === null ? <NoValue /> : <Status tone={GATE[gate.outcome].tone}>{gate.outcome}</Status>;
}
