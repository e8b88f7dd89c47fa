import { Button, Group, NativeSelect, Paper, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import type { ExperimentComparison } from "@sightline/observability/contract";
import { IconFlaskOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { CommentsButton } from "#features/comments/components/comments.tsx";
import { ValueDiff } from "#features/compare/components/value-diff.tsx";
import { cancelExperiment, comparisonQuery, experimentsKey, REFRESH_MS } from "#features/experiments/api/experiments.ts";
import { Compared } from "#features/experiments/components/compared.tsx";
import { ExportItems } from "#features/experiments/components/export-items.tsx";
import { GateOutcomeText } from "#features/experiments/components/gate-outcome.tsx";
import { ItemGrid } from "#features/experiments/components/item-grid.tsx";
import { NodeTable } from "#features/experiments/components/node-table.tsx";
import { PreferencePanel } from "#features/experiments/components/preference-panel.tsx";
import { ScoreTable } from "#features/experiments/components/score-table.tsx";
import { projectQuery } from "#features/projects/api/projects.ts";
import { hasCode } from "#http/api-error.ts";
import { useChange } from "#http/use-change.ts";
import { NoMatch, Unanswered } from "#ui/kit/list-states.tsx";
import { PanelHeader } from "#ui/kit/panel.tsx";
import { MissingPage } from "#ui/page/missing-page.tsx";
import { formatShare } from "#ui/words/format.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/experiments/$experimentId");

const FILTERS = ["all", "worse", "better", "failed", "missing"] as const;
const LABELS: Readonly<Record<(typeof FILTERS)[number], string>> = {
  all: "All",
  worse: "Worse",
  better: "Better",
  failed: "Failed",
  missing: "Missing",
};

const showDiff = (a: unknown, b: unknown) => <ValueDiff label="Output" a={a} b={b} side="output" isModelCall={false} />;

/** An experiment beside its baseline: what the scores say, then item by item. */
export function ExperimentPage() {
  const { experimentId } = route.useParams();
  return <Comparison key={experimentId} />;
}

function Comparison() {
  const { projectId, experimentId } = route.useParams();
  const { baseline, margin } = route.useSearch();
  const compared = { ...(baseline === undefined ? {} : { baseline }), ...(margin === undefined ? {} : { margin }) };
  const comparison = useQuery({
    ...comparisonQuery(projectId, experimentId, compared),
    refetchInterval: ({ state }) => (state.data?.candidate.state === "running" ? REFRESH_MS : false),
  });
  const { data: project } = useQuery(projectQuery(projectId));
  const cancel = useChange({
    send: () => cancelExperiment(projectId, experimentId),
    refreshes: [experimentsKey(projectId)],
    failed: "It was not cancelled",
  });
  if (hasCode(comparison.error, "experiment_not_found")) {
    return (
      <MissingPage
        documentTitle="No such experiment"
        icon={<IconFlaskOff />}
        title="This experiment is not here"
        description="It, its baseline or their dataset was deleted."
      >
        <Button component={Link} to="/projects/$projectId/experiments" params={{ projectId }}>
          Experiments of the project
        </Button>
      </MissingPage>
    );
  }
  const name = comparison.data?.candidate.name;
  return (
    <WidePage>
      <PageHeader title={name ?? "Experiment"} documentTitle={name === undefined ? "Experiment" : `${name} · Experiment`}>
        {comparison.data?.candidate.state === "running" && project !== undefined && project.my_role !== "viewer" && (
          <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel
          </Button>
        )}
      </PageHeader>
      {comparison.data === undefined || comparison.error !== null ? (
        <Unanswered query={comparison} failed="The experiment could not be compared" />
      ) : (
        <Stack gap="lg">
          <Whole comparison={comparison.data} />
        </Stack>
      )}
    </WidePage>
  );
}

function Whole({ comparison }: { readonly comparison: ExperimentComparison }) {
  const { projectId, experimentId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  const only = FILTERS.find((filter) => filter === search.only) ?? "all";
  const isCompared = comparison.baseline.length > 0;
  const scores = comparison.scores.filter(({ source }) => source !== "run");
  const names = [...new Set(scores.map(({ name }) => name))];
  // Unless one is chosen: the score that most items became worse by.
  const [most] = scores.toSorted((a, b) => (b.difference?.worsened ?? 0) - (a.difference?.worsened ?? 0));
  const score = search.score ?? most?.name;
  const asked = {
    only,
    ...(search.baseline === undefined ? {} : { baseline: search.baseline }),
    ...(score === undefined ? {} : { score }),
  };
  return (
    <>
      <Compared projectId={projectId} comparison={comparison} baseline={search.baseline} onChoose={(baseline) => change({ baseline })} />
      <Paper component="section">
        <PanelHeader title="Scores" about={<Unpaired comparison={comparison} />}>
          <GateOutcomeText projectId={projectId} comparison={comparison} baseline={search.baseline} margin={search.margin} />
        </PanelHeader>
        {comparison.scores.length === 0 ? (
          <Text px="lg" pb="lg" c="dimmed">
            No scores yet: they come with the runs, from evaluators and from the checks of items.
          </Text>
        ) : (
          <ScoreTable comparison={comparison} />
        )}
      </Paper>
      {comparison.baseline[0] !== undefined && (
        <PreferencePanel pair={{ projectId, id: experimentId, baseline: comparison.baseline[0].id }} />
      )}
      {search.baseline !== undefined && isCompared && (
        <NodeTable projectId={projectId} experimentId={experimentId} baseline={search.baseline} />
      )}
      <section>
        <Group justify="space-between" mb="sm">
          <Title order={2}>Items</Title>
          <Group gap="xs">
            {names.length > 1 && (
              <NativeSelect
                aria-label="Score that items are judged by"
                data={names.map((name) => ({ value: name, label: `By ${name}` }))}
                value={score}
                onChange={(event) => change({ score: event.currentTarget.value })}
              />
            )}
            <SegmentedControl
              aria-label="Which items"
              value={only}
              onChange={(value) => change({ only: value === "all" ? undefined : value })}
              data={FILTERS.map((value) => ({ value, label: LABELS[value], disabled: !isCompared && ["worse", "better"].includes(value) }))}
            />
            {isCompared && (
              <SegmentedControl
                aria-label="Outputs"
                value={search.view === "diff" ? "diff" : "both"}
                onChange={(value) => change({ view: value === "diff" ? value : undefined })}
                data={[
                  { value: "both", label: "Side by side" },
                  { value: "diff", label: "Differences" },
                ]}
              />
            )}
            <ExportItems projectId={projectId} experimentId={experimentId} asked={asked} name={comparison.candidate.name} />
          </Group>
        </Group>
        <ItemGrid
          projectId={projectId}
          experimentId={experimentId}
          asked={asked}
          runs={comparison.candidate.runs}
          scores={scores}
          renderComments={(id) => (
            <CommentsButton projectId={projectId} about={{ subject: "run", within_id: experimentId, subject_id: id }} />
          )}
          diff={search.view === "diff" ? showDiff : undefined}
          empty={
            only === "all" ? (
              <Text p="lg" c="dimmed">
                No runs yet: each is shown here as soon as it is reported.
              </Text>
            ) : (
              <NoMatch
                title={`No items are ${LABELS[only].toLowerCase()}`}
                description="Nothing to look at by this filter."
                all="Show all items"
                onAll={() => change({ only: undefined })}
              />
            )
          }
        />
      </section>
    </>
  );
}

/** What was left out of the pairs, in words. */
function Unpaired({ comparison: { baseline, unpaired, margin } }: { readonly comparison: ExperimentComparison }) {
  if (baseline.length === 0) {
    return "The mean over items, with its 95% interval.";
  }
  const left = [
    ...(unpaired.changed > 0 ? [`${unpaired.changed} changed in between`] : []),
    ...(unpaired.only_candidate > 0 ? [`${unpaired.only_candidate} only in the candidate`] : []),
    ...(unpaired.only_baseline > 0 ? [`${unpaired.only_baseline} only in the baseline`] : []),
  ];
  return `Paired by item; differences within ±${margin} do not matter, of what runs took within ${formatShare(margin)}.${left.length === 0 ? "" : ` Items left out: ${left.join(", ")}.`}`;
}
