import "@mantine/charts/styles.layer.css";
// The squares of the legend.
import "@mantine/core/styles/ColorSwatch.layer.css";
import { BarChart, type BarChartProps, LineChart, type LineChartProps } from "@mantine/charts";
import { asTick, formatCount } from "#ui/words/format.ts";
import classes from "./series-chart.module.css";

export type ChartRow = Readonly<Record<string, number | string | null>> & { readonly time: string; readonly label: string };

export type SeriesChartProps = {
  readonly kind: "bars" | "lines";
  readonly rows: readonly ChartRow[];
  readonly series: readonly {
    readonly name: string;
    readonly label: string;
    readonly color: string;
    readonly strokeDasharray?: string;
  }[];
  readonly format: (value: number) => string;
  readonly onStep: (time: string) => void;
};

/** Loaded only with a page that shows charts. */
export function SeriesChart({ kind, rows, series, format, onStep }: SeriesChartProps) {
  const plot = {
    // The topmost number would not fit above the edge, and be moved off its line.
    margin: { top: 8 },
    className: classes.plot ?? "",
    onClick: ({ activeTooltipIndex: at }: { readonly activeTooltipIndex?: number | string | null | undefined }) => {
      const row = rows[Number(at ?? Number.NaN)];
      if (row !== undefined) {
        onStep(row.time);
      }
    },
  };
  const isEmpty = rows.every((row) => series.every(({ name }) => Number(row[name]) === 0));
  const common = {
    h: 220,
    data: [...rows],
    dataKey: "label",
    series: [...series],
    valueFormatter: format,
    withLegend: series.length > 1,
    // The names of many take more than one line.
    legendProps: { verticalAlign: "top", ...(series.length > 3 ? {} : { height: 26 }) },
    accessibilityLayer: false,
    gridAxis: "x",
    tickLine: "none",
    xAxisProps: { minTickGap: 40 },
    // What is counted has no halves, and an axis without values would get invented ones.
    yAxisProps: {
      width: 64,
      allowDecimals: format !== formatCount,
      tickFormatter: (value: number) => asTick(format(value)),
      ...(isEmpty ? { ticks: [0], domain: [0, 1] } : {}),
    },
  } satisfies Omit<BarChartProps & LineChartProps, "type">;
  return kind === "bars" ? (
    <BarChart {...common} type="stacked" maxBarWidth={28} barChartProps={plot} barProps={{ isAnimationActive: false }} />
  ) : (
    <LineChart
      {...common}
      curveType="linear"
      connectNulls={false}
      withDots
      strokeWidth={1.5}
      dotProps={{ r: 1.5, strokeWidth: 1 }}
      activeDotProps={{ r: 4, strokeWidth: 1 }}
      lineChartProps={plot}
      lineProps={{ isAnimationActive: false }}
    />
  );
}
