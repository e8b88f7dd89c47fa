import type { ComparedFigure, SetComparison } from "@sightline/observability/contract";
import { DataTable } from "#ui/kit/data-table.tsx";
import { kindLabel } from "#ui/words/step-kind.ts";
import { formatCost, formatCount, formatDuration, formatExactCount, formatShare } from "#ui/words/format.ts";
import { DifferenceText, EstimateText, SetVerdictText } from "./set-verdict.tsx";
import classes from "./set-figures.module.css";

const FIGURES = [
  { label: "Failure rate", of: "of traces that ended", key: "failure_rate", format: formatShare },
  { label: "Duration, median", of: "of successful traces", key: "p50_ms", format: formatDuration },
  { label: "Duration, p95", of: "of successful traces", key: "p95_ms", format: formatDuration },
  { label: "Cost", of: "mean of a successful trace", key: "cost", format: formatCost },
  { label: "Tokens", of: "mean of a successful trace", key: "tokens", format: (tokens: number) => formatCount(Math.round(tokens)) },
] as const;

/** What two sets of traces came to. */
export function SetFigures({ comparison }: { readonly comparison: SetComparison }) {
  return (
    <DataTable
      label="Figures"
      minWidth={640}
      verticalSpacing={8}
      rows={FIGURES}
      rowKey={({ key }) => key}
      columns={[
        {
          header: "Figure",
          isRowHeading: true,
          render: ({ label, of }) => (
            <>
              {label} <span className={classes.range}>{of}</span>
            </>
          ),
        },
        {
          header: "From A to B",
          render: ({ key, format }) => (
            <>
              <SetVerdictText figure={comparison[key]} /> <DifferenceText figure={comparison[key]} format={format} />
            </>
          ),
        },
        { header: "A", align: "right", render: ({ key, format }) => <EstimateText estimate={comparison[key].a} format={format} /> },
        { header: "B", align: "right", render: ({ key, format }) => <EstimateText estimate={comparison[key].b} format={format} /> },
      ]}
    />
  );
}

/** The steps of the newest traces of two sets; those that changed come first. */
export function SetSteps({ comparison: { steps } }: { readonly comparison: SetComparison }) {
  return (
    <DataTable
      label="Steps"
      minWidth={980}
      verticalSpacing={8}
      rows={steps}
      rowKey={({ kind, name }) => `${kind} ${name}`}
      columns={[
        {
          header: "Step",
          isRowHeading: true,
          className: classes.step,
          render: ({ kind, name }) => (
            <>
              {name} <span className={classes.range}>{kindLabel(kind).toLowerCase()}</span>
            </>
          ),
        },
        { header: "Traces that ran it", render: (step) => <FigureCell figure={step.share} format={formatShare} isCost={false} /> },
        { header: "Failure rate", render: (step) => <FigureCell figure={step.failure_rate} format={formatShare} /> },
        { header: "p95 where it succeeded", render: (step) => <FigureCell figure={step.p95_ms} format={formatDuration} /> },
        { header: "Ran", align: "right", render: ({ a, b }) => `${formatExactCount(a)} → ${formatExactCount(b)}` },
      ]}
    />
  );
}

type CellProps = {
  readonly figure: ComparedFigure;
  readonly format: (value: number) => string;
  readonly isCost?: boolean;
};

function FigureCell({ figure, format, isCost = true }: CellProps) {
  const [a, b] = [figure.a, figure.b].map((estimate) => (estimate === null ? "–" : format(estimate.value)));
  return (
    <>
      {a} → {b}
      <div>
        <SetVerdictText figure={figure} isCost={isCost} />
      </div>
    </>
  );
}
