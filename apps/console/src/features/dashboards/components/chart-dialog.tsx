import { Input, Modal, NativeSelect, SegmentedControl, TextInput } from "@mantine/core";
import { type Chart, type ChartKind, chartMeasureSchema, parseTraceQuery } from "@sightline/observability/contract";
import { type ComponentType, useState } from "react";
import { chartsQuery, saveChart } from "#features/dashboards/api/charts.ts";
import { listChartFields } from "#features/dashboards/groupings.ts";
import { chartName, MAX_CHART_NAME, MEASURE_CHOICES, MEASURES } from "#features/dashboards/measures.ts";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";

const KINDS: readonly { readonly value: ChartKind; readonly label: string }[] = [
  { value: "lines", label: "Lines" },
  { value: "bars", label: "Bars" },
  { value: "ranking", label: "Ranking" },
];

export type ChartDialogProps = {
  readonly projectId: string;
  /** The one that is changed; left out for a new one. */
  readonly chart: Chart | undefined;
  /** Keys of the traces' metadata. */
  readonly metadataKeys: readonly string[];
  /** The field of a query of traces. */
  readonly queryField: ComponentType<{
    readonly projectId: string;
    readonly label: string;
    readonly value: string;
    readonly onChange: (text: string) => void;
  }>;
  readonly onClose: () => void;
};

/** Makes a chart of a measure, by a field, of the traces that a query finds. */
export function ChartDialog({ projectId, chart, metadataKeys, queryField: QueryField, onClose }: ChartDialogProps) {
  const [typed, setTyped] = useState(chart?.name ?? "");
  const [measure, setMeasure] = useState(chart?.measure ?? "cost");
  const [by, setBy] = useState<string | null>(chart === undefined ? "user" : chart.by);
  const [kind, setKind] = useState<ChartKind>(chart?.kind ?? "bars");
  const [query, setQuery] = useState(chart?.query ?? "");
  const canBeBars = MEASURES[measure].isSum === true;
  const save = useChange({
    send: () =>
      saveChart(projectId, {
        id: chart?.id,
        name: typed.trim() === "" ? chartName(measure, by) : typed.trim(),
        measure,
        by,
        query: query.trim(),
        kind: kind === "bars" && !canBeBars ? "lines" : kind,
      }),
    refreshes: [chartsQuery(projectId).queryKey],
    onRefreshed: onClose,
  });
  return (
    <Modal opened size="lg" onClose={onClose} title={chart === undefined ? "Add a chart" : `Edit “${chart.name}”`}>
      <DialogForm
        change={save}
        failed="The chart was not saved"
        submit="Save"
        disabled={parseTraceQuery(query).errors.length > 0}
        onSubmit={() => save.mutate()}
        onCancel={onClose}
      >
        <TextInput
          label="Name"
          placeholder={chartName(measure, by)}
          maxLength={MAX_CHART_NAME}
          data-autofocus
          {...typedInto(typed, setTyped)}
        />
        <NativeSelect
          label="Measure"
          data={MEASURE_CHOICES}
          value={measure}
          onChange={(event) => setMeasure(chartMeasureSchema.parse(event.currentTarget.value))}
        />
        <NativeSelect
          label="Grouped by"
          data={[{ value: "", label: "Nothing: all traces together" }, ...listChartFields(metadataKeys)]}
          value={by ?? ""}
          onChange={(event) => setBy(event.currentTarget.value === "" ? null : event.currentTarget.value)}
        />
        <Input.Wrapper label="Filter" description="Same syntax as the trace list. Leave empty to include all traces.">
          <QueryField projectId={projectId} label="Filter" value={query} onChange={setQuery} />
        </Input.Wrapper>
        <Input.Wrapper label="Shown as" {...(canBeBars ? {} : { description: "Only sums can be stacked as bars." })}>
          <div>
            <SegmentedControl
              aria-label="Shown as"
              data={KINDS.map((each) => ({ ...each, disabled: each.value === "bars" && !canBeBars }))}
              value={kind === "bars" && !canBeBars ? "lines" : kind}
              onChange={setKind}
            />
          </div>
        </Input.Wrapper>
      </DialogForm>
    </Modal>
  );
}
