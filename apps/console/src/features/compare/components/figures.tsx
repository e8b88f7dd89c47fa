import { Text } from "@mantine/core";
import type { ComparedTrace, Comparison } from "@sightline/observability/contract";
import { PlainTable } from "#ui/kit/data-table.tsx";
import { formatCost, formatCount, formatDuration } from "#ui/words/format.ts";
import { type Change, toChange, endedEarly } from "#features/compare/change.ts";
import classes from "./figures.module.css";

const FIGURES = [
  { label: "Duration", key: "duration_ms", format: formatDuration },
  { label: "Steps", key: "steps", format: formatCount, isJudged: false },
  { label: "Failures", key: "failures", format: formatCount, isJudged: true },
  { label: "Tokens in", key: "input_tokens", format: formatCount },
  { label: "Tokens out", key: "output_tokens", format: formatCount },
  { label: "Cost", key: "cost", format: formatCost },
] as const satisfies readonly {
  readonly label: string;
  readonly key: keyof ComparedTrace;
  readonly format: (value: number) => string;
  /** Whether more is worse, however the runs ended; without it, only where both came to their end. */
  readonly isJudged?: boolean;
}[];

/** What the two runs took, and how much more or less the second did. */
export function Figures({ comparison: { a, b } }: { readonly comparison: Comparison }) {
  const early = endedEarly(a, b);
  return (
    <>
      {early !== undefined && (
        <Text size="sm" c="var(--sl-warn)" mb="xs">
          {early}
        </Text>
      )}
      <PlainTable
        verticalSpacing={7}
        horizontalSpacing="xs"
        rows={FIGURES}
        rowKey={({ key }) => key}
        columns={[
          { header: "Figure", isRowHeading: true, render: ({ label }) => label },
          { header: "A", align: "right", render: ({ key, format }) => shown(a[key], format) },
          { header: "B", align: "right", render: ({ key, format }) => shown(b[key], format) },
          {
            header: "From A to B",
            align: "right",
            render: ({ key, format, ...figure }) => (
              <ChangeText
                change={toChange(a[key], b[key], format)}
                isJudged={"isJudged" in figure ? figure.isJudged : early === undefined}
              />
            ),
          },
        ]}
      />
    </>
  );
}

type ChangeTextProps = {
  readonly change: Change | null;
  /** Whether less is better here: never where a run ended early. */
  readonly isJudged: boolean;
};

export function ChangeText({ change, isJudged }: ChangeTextProps) {
  return change === null ? (
    <>–</>
  ) : (
    <span className={classes.change} data-tone={isJudged ? change.tone : undefined}>
      {change.text} {change.share !== "" && <span className={classes.share}>{change.share}</span>}
    </span>
  );
}

function shown(value: number | null, format: (value: number) => string): string {
  return value === null ? "–" : format(value);
}
