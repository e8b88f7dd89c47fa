import { Anchor } from "@mantine/core";
import type { JudgementCounts } from "@sightline/observability/contract";
import { IconGavel } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { judgesQuery } from "#features/judges/api/judges.ts";
import { DataTable, type TableColumn } from "#ui/kit/data-table.tsx";
import { EmptyPanel, ListOf } from "#ui/kit/list-states.tsx";
import { formatCost, formatExactCount } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { CalibrationStatus } from "./calibration.tsx";
import { meansInWords, STATE_LABELS } from "./judgement-states.ts";

/** What became of what was chosen, a column for each state. */
export function countColumns<Row extends { readonly counts: JudgementCounts }>(): readonly TableColumn<Row>[] {
  return (["judged", "waiting", "skipped", "failed", "over_budget"] as const).map((state) => ({
    header: STATE_LABELS[state],
    align: "right",
    render: ({ counts }) => formatExactCount(counts[state]),
  }));
}

/** The evaluators of a project. */
export function EvaluatorList({ projectId }: { readonly projectId: string }) {
  const list = useQuery(judgesQuery(projectId));
  return (
    <ListOf
      list={list}
      items={list.data}
      failed="The evaluators could not be loaded"
      empty={
        <EmptyPanel
          icon={<IconGavel />}
          title="No evaluators yet"
          description="An evaluator judges traces by a model and a rubric, or by checks: live ones as they end, those of the past, or the runs of an experiment."
        />
      }
    >
      {(items) => (
        <DataTable
          label="Evaluators"
          minWidth={960}
          highlightOnHover
          rows={items}
          rowKey={({ id }) => id}
          columns={[
            {
              header: "Evaluator",
              render: ({ id, name }) => (
                <Anchor component={Link} to="/projects/$projectId/evaluators/$evaluatorId" params={{ projectId, evaluatorId: id }} fw={550}>
                  <SafeText text={name} />
                </Anchor>
              ),
            },
            { header: "Judges by", render: ({ definition }) => meansInWords(definition) },
            { header: "Version", align: "right", render: ({ version }) => formatExactCount(version) },
            {
              header: "Agrees with people",
              render: ({ is_calibrated: isCalibrated }) =>
                isCalibrated === null ? "–" : <CalibrationStatus isCalibrated={isCalibrated} />,
            },
            ...countColumns<(typeof items)[number]>(),
            { header: "Today", align: "right", render: ({ spent_today: dollars }) => formatCost(dollars) },
          ]}
        />
      )}
    </ListOf>
  );
}
