import type { Comparison } from "@sightline/observability/contract";
import { PlainTable } from "#ui/kit/data-table.tsx";
import { formatCost, formatCount, formatDuration } from "#ui/words/format.ts";
import { type Change, changeOf } from "#features/compare/change.ts";
import classes from "./figures.module.css";

const FIGURES = [
  { label: "Duration", key: "duration_ms", format: formatDuration },
  { label: "Steps", key: "steps", format: formatCount },
  { label: "Failures", key: "failures", format: formatCount },
  { label: "Tokens in", key: "input_tokens", format: formatCount },
  { label: "Tokens out", key: "output_tokens", format: formatCount },
  { label: "Cost", key: "cost", format: formatCost },
] as const;

/** What the two runs took, and how much more or less the second did. */
export function Figures({ comparison: { a, b } }: { readonly comparison: Comparison }) {
  return (
    <PlainTable
      verticalSpacing={7}
      horizontalSpacing="xs"
      rows={FIGURES}
      rowKey={({ key }) => key}
      columns={[
        { header: "Figure", isRowHeading: true, render: ({ label }) => label },
        { header: "A", align: "right", render: ({ key, format }) => shown(a[key], format) },
        { header: "B", align: "right", render: ({ key, format }) => shown(b[key], format) },
        { header: "From A to B", align: "right", render: ({ key, format }) => <ChangeText change={changeOf(a[key], b[key], format)} /> },
      ]}
    />
  );
}

export function ChangeText({ change }: { readonly change: Change | null }) {
  return change === null ? (
    <>–</>
  ) : (
    <span className={classes.change} data-tone={change.tone}>
      {change.text} {change.share !== "" && <span className={classes.share}>{change.share}</span>}
    </span>
  );
}

function shown(value: number | null, format: (value: number) => string): string {
  return value === null ? "–" : format(value);
}
