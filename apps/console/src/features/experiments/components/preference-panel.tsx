import { Button, Paper, Text } from "@mantine/core";
import type { PreferenceSummary } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { preferencesQuery, type PairOf } from "#features/experiments/api/experiments.ts";
import { formatScore, saidOf, VERDICT_TONES } from "#features/experiments/verdict-words.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { PanelHeader, PanelList } from "#ui/kit/panel.tsx";
import { formatExactCount, formatShare, plural } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { Status } from "#ui/words/status.tsx";
import classes from "./experiments.module.css";

/** How often people and judges prefer the candidate's output to one baseline's. */
export function PreferencePanel({ pair }: { readonly pair: PairOf }) {
  const preferences = useQuery(preferencesQuery(pair));
  const { data } = preferences;
  const margin = formatScore(data?.margin ?? 0);
  return (
    <Paper component="section">
      <PanelHeader title="Preferences" about="How often the candidate's output is the better one of an item, ties as halves.">
        <Button
          component={Link}
          variant="default"
          to="/projects/$projectId/experiments/$experimentId/pairs/$baselineId"
          params={{ projectId: pair.projectId, experimentId: pair.id, baselineId: pair.baseline }}
        >
          Compare by hand
        </Button>
      </PanelHeader>
      <PanelList
        query={preferences}
        items={data?.summaries}
        failed="The preferences could not be loaded"
        empty={`Nobody has compared the ${plural(data?.items ?? 0, "item", "items")} that both ran.`}
        rows={1}
        isHeaded
      >
        {(summaries) => (
          <DataTable
            label="Preferences"
            minWidth={680}
            isInPanel
            verticalSpacing="xs"
            rows={summaries}
            rowKey={({ judge }) => judge?.name ?? ""}
            columns={[
              { header: "By", isRowHeading: true, render: (summary) => <By summary={summary} /> },
              {
                header: "Verdict",
                render: ({ rate, won, lost, tied }) => (
                  <>
                    <Status tone={rate === null ? "idle" : VERDICT_TONES[rate.verdict]}>
                      <Text inherit span fw={550}>
                        {rate === null ? "Nothing to tell it by" : saidOf(rate, margin)}
                      </Text>
                    </Status>
                    <div className={classes.small} title={rate === null ? undefined : `Procedure: ${rate.procedure}`}>
                      {formatExactCount(won)} won, {formatExactCount(lost)} lost, {formatExactCount(tied)} tied
                    </div>
                  </>
                ),
              },
              {
                header: "Candidate preferred",
                align: "right",
                className: classes.figure,
                render: ({ rate }) =>
                  rate === null ? (
                    "–"
                  ) : (
                    <>
                      {formatShare(rate.value)}
                      <div className={classes.small}>{`${formatShare(rate.low)} to ${formatShare(rate.high)}`}</div>
                    </>
                  ),
              },
              { header: "As people say", render: ({ agreement }) => <AsPeople agreement={agreement} /> },
            ]}
          />
        )}
      </PanelList>
    </Paper>
  );
}

function By({
  summary: { judge, people, items, skipped, follows_position: follows, incomplete },
}: {
  readonly summary: PreferenceSummary;
}) {
  const told = [
    ...(judge?.is_calibrated === false ? ["not calibrated"] : []),
    ...(judge === null ? [] : [`follows the position ${follows === 1 ? "once" : `${formatExactCount(follows)} times`}`]),
    ...(incomplete > 0 ? [`${formatExactCount(incomplete)} asked one way only`] : []),
    ...(skipped > 0 ? [`${formatExactCount(skipped)} skipped`] : []),
  ];
  return (
    <>
      {judge === null ? plural(people, "person", "people") : <SafeText text={judge.name} />}
      <div className={classes.small}>{[plural(items, "item", "items"), ...told].join(", ")}</div>
    </>
  );
}

function AsPeople({ agreement }: Pick<PreferenceSummary, "agreement">) {
  if (agreement === null) {
    return "–";
  }
  const { items, same, kappa } = agreement;
  return (
    <>
      {formatShare(same)} of {plural(items, "item", "items")}
      {kappa !== null && (
        <div className={classes.small}>{`κ ${formatScore(kappa.value)}, ${formatScore(kappa.low)} to ${formatScore(kappa.high)}`}</div>
      )}
    </>
  );
}
