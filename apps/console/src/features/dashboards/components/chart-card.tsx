import { Button, Paper, Text, Title } from "@mantine/core";
import { IconChartBar, IconTable } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import classes from "./chart-card.module.css";

/** A chart and, for whoever can't see it or wants the numbers, the same as a table. */
export function ChartCard({
  title,
  note,
  summary,
  chart,
  table,
}: {
  readonly title: string;
  /** What must be known to read it right. */
  readonly note?: ReactNode;
  /** The chart in a sentence. */
  readonly summary: string;
  readonly chart: ReactNode;
  readonly table: ReactNode;
}) {
  const [isTable, setIsTable] = useState(false);
  return (
    <Paper component="section" aria-label={title} className={classes.card}>
      <header className={classes.head}>
        <div>
          <Title order={2}>{title}</Title>
          <Text size="sm" c="dimmed">
            {summary}
          </Text>
        </div>
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
      </header>
      {isTable ? (
        <div className={classes.table} tabIndex={0} role="region" aria-label={`${title} as a table`}>
          {table}
        </div>
      ) : (
        <div className={classes.chart} role="img" aria-label={`${title}: ${summary}`}>
          {chart}
        </div>
      )}
      {note !== undefined && (
        <Text size="xs" c="dimmed" mt={6}>
          {note}
        </Text>
      )}
    </Paper>
  );
}
