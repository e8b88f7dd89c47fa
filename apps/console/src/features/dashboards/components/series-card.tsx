import { Skeleton, Table, UnstyledButton } from "@mantine/core";
import { type ReactNode, Suspense } from "react";
import { ChartCard } from "./chart-card.tsx";
import type { ChartRow, Series } from "./series-chart.tsx";
import classes from "./series-card.module.css";
import { lazyPart } from "#ui/page/lazy-part.ts";

const SeriesChart = lazyPart(async () => (await import("./series-chart.tsx")).SeriesChart);

/** Figures over time; a step leads to its traces. */
export function SeriesCard({
  title,
  summary,
  note,
  kind,
  rows,
  series,
  format,
  onStep,
}: {
  readonly title: string;
  readonly summary: string;
  readonly note?: ReactNode;
  readonly kind: "bars" | "lines";
  readonly rows: readonly ChartRow[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly onStep: (time: string) => void;
}) {
  return (
    <ChartCard
      title={title}
      summary={summary}
      note={note}
      chart={
        <Suspense fallback={<Skeleton height={220} />}>
          <SeriesChart kind={kind} rows={rows} series={series} format={format} onStep={onStep} />
        </Suspense>
      }
      table={
        <Table verticalSpacing={4} stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Time</Table.Th>
              {series.map(({ name, label }) => (
                <Table.Th key={name} ta="right">
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.time}>
                <Table.Td>
                  <UnstyledButton className={classes.step} aria-label={`Traces of ${row.label}`} onClick={() => onStep(row.time)}>
                    {row.label}
                  </UnstyledButton>
                </Table.Td>
                {series.map(({ name }) => (
                  <Table.Td key={name} ta="right">
                    {typeof row[name] === "number" ? format(row[name]) : "–"}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      }
    />
  );
}
