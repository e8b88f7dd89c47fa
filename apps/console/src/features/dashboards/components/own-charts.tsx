import { ActionIcon, Button, Menu, Text, Title } from "@mantine/core";
import type { Chart } from "@sightline/observability/contract";
import { IconArrowDown, IconArrowUp, IconDots, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { chartsQuery, deleteChart, orderCharts } from "#features/dashboards/api/charts.ts";
import { useChange } from "#http/use-change.ts";
import { ConfirmDialog } from "#ui/kit/dialogs.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { ChartCard, type ChartPlace } from "./chart-card.tsx";
import { ChartDialog, type ChartDialogProps } from "./chart-dialog.tsx";
import dashboard from "./dashboard.module.css";
import classes from "./own-charts.module.css";

type OwnChartsProps = ChartPlace &
  Pick<ChartDialogProps, "metadataKeys" | "queryField"> & {
    /** Whether the reader may add charts and order them. */
    readonly mayEdit: boolean;
  };

type Dialog = { readonly kind: "edit" | "delete"; readonly chart: Chart } | { readonly kind: "add" };

/** The charts that people made for this project. */
export function OwnCharts({ mayEdit, metadataKeys, queryField, ...place }: OwnChartsProps) {
  const { projectId } = place;
  const { data: charts } = useQuery(chartsQuery(projectId));
  const order = useChange({
    send: (ids: readonly string[]) => orderCharts(projectId, ids),
    refreshes: [chartsQuery(projectId).queryKey],
    failed: "The charts were not moved",
  });
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const move = (chart: Chart, by: number) => {
    const ids = (charts ?? []).map(({ id }) => id);
    const from = ids.indexOf(chart.id);
    order.mutate(ids.toSpliced(from, 1).toSpliced(from + by, 0, chart.id));
  };
  if (charts === undefined || (charts.length === 0 && !mayEdit)) {
    return null;
  }
  return (
    <section aria-label="Charts of this project" className={classes.section}>
      <header className={classes.head}>
        <div>
          <Title order={2}>Charts of this project</Title>
          {charts.length === 0 && <Dimmed>Cost by user, errors by release, p95 of one customer: any measure by any field.</Dimmed>}
        </div>
        {mayEdit && (
          <Button variant="default" size="xs" leftSection={<IconPlus size={14} />} onClick={() => setDialog({ kind: "add" })}>
            Add a chart
          </Button>
        )}
      </header>
      {charts.length > 0 && (
        <div className={dashboard.charts}>
          {charts.map((chart, index) => (
            <ChartCard
              key={chart.id}
              {...place}
              chart={chart}
              tools={
                mayEdit && (
                  <Menu position="bottom-end">
                    <Menu.Target>
                      <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${chart.name}`}>
                        <IconDots size={16} />
                      </ActionIcon>
                    </Menu.Target>
                    <Menu.Dropdown>
                      <Menu.Item leftSection={<IconArrowUp size={15} />} disabled={index === 0} onClick={() => move(chart, -1)}>
                        Move up
                      </Menu.Item>
                      <Menu.Item
                        leftSection={<IconArrowDown size={15} />}
                        disabled={index === charts.length - 1}
                        onClick={() => move(chart, 1)}
                      >
                        Move down
                      </Menu.Item>
                      {chart.can_change && (
                        <>
                          <Menu.Item leftSection={<IconPencil size={15} />} onClick={() => setDialog({ kind: "edit", chart })}>
                            Edit…
                          </Menu.Item>
                          <Menu.Item leftSection={<IconTrash size={15} />} onClick={() => setDialog({ kind: "delete", chart })}>
                            Delete…
                          </Menu.Item>
                        </>
                      )}
                    </Menu.Dropdown>
                  </Menu>
                )
              }
            />
          ))}
        </div>
      )}
      {(dialog?.kind === "add" || dialog?.kind === "edit") && (
        <ChartDialog
          projectId={projectId}
          chart={dialog.kind === "edit" ? dialog.chart : undefined}
          metadataKeys={metadataKeys}
          queryField={queryField}
          onClose={close}
        />
      )}
      {dialog?.kind === "delete" && <DeleteChart projectId={projectId} chart={dialog.chart} onClose={close} />}
    </section>
  );
}

type DeleteChartProps = { readonly projectId: string; readonly chart: Chart; readonly onClose: () => void };

function DeleteChart({ projectId, chart, onClose }: DeleteChartProps) {
  const refreshes = [chartsQuery(projectId).queryKey];
  const remove = useChange({ send: () => deleteChart(projectId, chart.id), refreshes, onRefreshed: onClose });
  return (
    <ConfirmDialog
      opened
      title={`Delete “${chart.name}”?`}
      change={remove}
      failed="The chart was not deleted"
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Text>It is gone for everybody in the project. The traces stay.</Text>
    </ConfirmDialog>
  );
}
