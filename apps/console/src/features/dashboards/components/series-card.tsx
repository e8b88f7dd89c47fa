import { Button, Group, Paper, Skeleton, Title, UnstyledButton } from "@mantine/core";
import { type ReactNode, Suspense, useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import type { ChartRow, SeriesChartProps } from "./series-chart.tsx";
import { PlainTable } from "#ui/kit/data-table.tsx";
import { lazyPart } from "#ui/page/lazy-part.ts";
import { IconChartBar, IconTable } from "@tabler/icons-react";
import classes from "./series-card.module.css";

export const loadCharts = async () => (await import("./series-chart.tsx")).SeriesChart;
const SeriesChart = lazyPart(loadCharts);

type SeriesCardProps = SeriesChartProps & {
  readonly title: string;
  /** The chart in a sentence. */
  readonly summary: string;
  /** What must be known to read it right. */
  readonly note?: string | undefined;
  /** Beside the button that shows the table. */
  readonly tools?: ReactNode;
};

/** Figures over time and, for whoever can't see the chart or wants the numbers, the same as a table; a step leads to its traces. */
export function SeriesCard({ title, summary, note, tools, ...chart }: SeriesCardProps) {
  const [isTable, setIsTable] = useState(false);
  return (
    <Card
      title={title}
      summary={summary}
      note={note}
      tools={
        <>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={isTable ? <IconChartBar size={14} /> : <IconTable size={14} />}
            aria-label={isTable ? `Show ${title} as a chart` : `Show ${title} as a table`}
            onClick={() => setIsTable(!isTable)}
          >
            {isTable ? "Chart" : "Table"}
          </Button>
          {tools}
        </>
      }
    >
      {isTable ? (
        <div className={classes.table} tabIndex={0} role="region" aria-label={`${title} as a table`}>
          <SeriesTable {...chart} />
        </div>
      ) : (
        <div className={classes.chart} role="img" aria-label={`${title}: ${summary}`}>
          <Suspense fallback={<Skeleton height={220} />}>
            <SeriesChart {...chart} />
          </Suspense>
        </div>
      )}
    </Card>
  );
}

type CardProps = Pick<SeriesCardProps, "title" | "summary" | "note" | "tools"> & { readonly children: ReactNode };

/** Figures under a heading that says them in a sentence. */
export function Card({ title, summary, note, tools, children }: CardProps) {
  return (
    <Paper component="section" aria-label={title} className={classes.card}>
      <header className={classes.head}>
        <div>
          <Title order={2}>{title}</Title>
          <Dimmed>
            {summary}
            {note !== undefined && ` · ${note}`}
          </Dimmed>
        </div>
        <Group gap={4} wrap="nowrap">
          {tools}
        </Group>
      </header>
      {children}
    </Paper>
  );
}

function SeriesTable({ rows, series, format, onStep }: SeriesChartProps) {
  return (
    <PlainTable
      verticalSpacing={4}
      stickyHeader
      rows={rows}
      rowKey={({ time }) => time}
      columns={[
        {
          header: "Time",
          render: ({ label, time }) => (
            <UnstyledButton className={classes.step} aria-label={`Traces of ${label}`} onClick={() => onStep(time)}>
              {label}
            </UnstyledButton>
          ),
        },
        ...series.map(({ name, label }) => ({
          header: label,
          align: "right" as const,
          render: ({ [name]: value }: ChartRow) => (typeof value === "number" ? format(value) : "–"),
        })),
      ]}
    />
  );
}
